"""Runs `evaluate-qa` and the developers' programs in the process of the tests."""

from importlib import import_module

from typer.testing import CliRunner

from evaluate_qa.cli import app


def run_command(*arguments, code=0, **keywords):
    """Run a command, check its exit code, and return the result."""
    return _run(app, arguments, code, keywords)


def run_program(name, *arguments, code=0):
    """Run `python -m evaluate_qa.dev.<name>`, check its exit code, and return the result."""
    return _run(import_module(f"evaluate_qa.dev.{name}").app, arguments, code, {})


def _run(app, arguments, code, keywords):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], **keywords)
    assert result.exit_code == code, result.output
    return result
