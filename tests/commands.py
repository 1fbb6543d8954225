"""Runs `evaluate-qa` in the tests' own process."""

from typer.testing import CliRunner

from evaluate_qa.cli import app


def run_command(*arguments, code=0, **keywords):
    """Return the result of a command, whose exit code must be this one."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], **keywords)
    assert result.exit_code == code, result.output
    return result
