"""The functions of the API, without a server; tests/e2e calls them as clients do."""

import pytest

from evaluate_qa.spaces._shared.page import api


@pytest.mark.parametrize("name", ["bem", "deltableu", "judge", "nli_lex", "smile"])
def test_results_have_the_signature(specification, scorer, monkeypatch):
    """Only results with equal signatures can be compared."""
    call = {}
    monkeypatch.setattr(
        api, "_add", lambda page, function, parameters, api_name, **_: call.update({api_name: function})
    )
    api.add_api(None, specification, scorer)
    row = {field.name: specification.first.get(field.column) for field in specification.fields}
    given = {control.name: control.shown for control in specification.controls}
    arguments = specification.arguments(specification.options())
    expected = scorer.compute([specification.first], arguments)["signature"]
    assert call["score"](**row, **given)["signature"] == expected
    assert call["explain"](**row, **given).endswith(f"\nSignature: {expected}")
    assert call["batch"]([row] * 2, **given)["signature"] == expected


def test_the_result_for_a_video_has_the_signature(explained, specification_of):
    outcome = explained("evqascore", specification_of("evqascore").first)
    assert outcome.signature.startswith("evqascore|v:")
