"""Runs `evaluate-qa` and the developers' programs in the tests' own process."""

from importlib import import_module

from typer.testing import CliRunner

from evaluate_qa.cli import app


def run_command(*arguments, code=0, **keywords):
    """Return the result of a command, whose exit code must be this one."""
    return _run(app, arguments, code, keywords)


def run_program(name, *arguments, code=0):
    """Return the result of `python -m evaluate_qa.dev.<name>`, whose exit code must be this one."""
    return _run(import_module(f"evaluate_qa.dev.{name}").app, arguments, code, {})


def _run(app, arguments, code, keywords):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], **keywords)
    assert result.exit_code == code, result.output
    return result
