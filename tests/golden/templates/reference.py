"""Jinja 3 configured as transformers configures it for chat templates; generates the cases in this folder."""
import datetime
import json

import jinja2
import jinja2.ext
import jinja2.sandbox

NOW = 1_781_913_600  # 2026-06-20 00:00:00 UTC


class Generation(jinja2.ext.Extension):
    """{% generation %} marks a part of the output without changing it; it is a separate scope."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        call = self.call_method("written")
        return jinja2.nodes.CallBlock(call, [], [], body).set_lineno(line)

    def written(self, caller):
        return caller()


def refuse(message):
    raise jinja2.exceptions.TemplateError(message)


def to_json(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


def environment(*more):
    env = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=[Generation, jinja2.ext.loopcontrols, *more],
    )
    env.filters["tojson"] = to_json
    env.globals["raise_exception"] = refuse
    moment = datetime.datetime.fromtimestamp(NOW, datetime.timezone.utc)
    env.globals["strftime_now"] = moment.strftime
    return env


def outcome(env, text, variables):
    """{"expected": text}, {"refused": the template's own words} or {"fails": the kind of error}."""
    try:
        return {"expected": env.from_string(text).render(**variables)}
    except jinja2.exceptions.TemplateError as error:
        if type(error) is jinja2.exceptions.TemplateError:
            return {"refused": str(error)}
        return {"fails": type(error).__name__}
    except Exception as error:  # what Python itself raises, such as TypeError
        return {"fails": type(error).__name__}
