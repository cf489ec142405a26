"""Commands that run inside the process of the test, so that they see its environment variables."""

from typer.testing import CliRunner

from steelyard.cli.main import app
from steelyard.errors import SteelyardError
from tests.commands import Done


def steelyard(*arguments, input=None, code=0):
    ran = CliRunner().invoke(app, [str(each) for each in arguments], input=input)
    refused = isinstance(ran.exception, SteelyardError)
    done = Done(
        2 if refused else ran.exit_code, ran.stdout, ran.stderr + (str(ran.exception) if refused else "")
    )
    assert done.returncode == code, (done.stderr, ran.exception)
    return done
