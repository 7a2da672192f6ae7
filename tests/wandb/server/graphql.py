# SPDX-License-Identifier: MIT
"""As much of GraphQL as clients of the service use: parse() a document, execute() it on plain objects.

An object is a dict; a value of it that can be called is called with the arguments of its field. What a
document asks for and an object does not have is refused, as the service refuses it.
"""
import re

TOKEN = re.compile(r'[\s,\ufeff]*(?:#[^\n\r]*[\s,]*)*'
                   r'(?:(?P<block>"""(?:[^"\\]|\\.|"(?!""))*""")|(?P<string>"(?:[^"\\\n]|\\.)*")'
                   r'|(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?P<name>[_A-Za-z]\w*)'
                   r'|(?P<mark>\.\.\.|[!$&()\[\]{}:=@|]))', re.S)
WORDS = {"true": True, "false": False, "null": None}


class Refused(Exception):
    """A document that this schema does not answer."""


class Variable(str):
    """The name of one, where a value may stand."""


class Field:
    """name(arguments) {fields}, or, with the name None, the fields of a fragment."""

    def __init__(self, name, alias=None, arguments=None, directives=None, fields=()):
        self.name, self.alias = name, alias or name
        self.arguments, self.directives, self.fields = arguments or {}, directives or {}, fields


class Spread:
    def __init__(self, name, directives):
        self.name, self.directives = name, directives


class Parser:
    def __init__(self, text):
        self.tokens, at, end = [], 0, len(text.rstrip(" \t\r\n,"))
        while at < end:
            found = TOKEN.match(text, at)
            if not found:
                raise Refused(f"Syntax Error near {text[at:at + 20]!r}")
            self.tokens.append((found.lastgroup, found[found.lastgroup]))
            at = found.end()
        self.at = 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "")

    def take(self, expected=None):
        kind, text = self.peek()
        if expected and expected not in (kind, text):
            raise Refused(f"Syntax Error: found {text!r}, expected {expected!r}")
        self.at += 1
        return text

    def has(self, text):
        if self.peek()[1] != text or self.peek()[0] in ("string", "block"):
            return False
        self.at += 1
        return True

    def value(self):
        kind, text = self.peek()
        self.at += 1
        if kind == "string":
            return re.sub(r'\\(.)', lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), text[1:-1])
        if kind == "block":
            return text[3:-3].strip()
        if kind == "number":
            return float(text) if re.search("[.eE]", text) else int(text)
        if kind == "name":
            return WORDS.get(text, text)
        if text == "$":
            return Variable(self.take("name"))
        if text == "[":
            found = []
            while not self.has("]"):
                found.append(self.value())
            return found
        if text == "{":
            return self.pairs("}")
        raise Refused(f"Syntax Error: found {text!r}, expected a value")

    def pairs(self, end):
        found = {}
        while not self.has(end):
            name = self.take("name")
            self.take(":")
            found[name] = self.value()
        return found

    def directives(self):
        found = {}
        while self.has("@"):
            name = self.take("name")
            found[name] = self.pairs(")") if self.has("(") else {}
        return found

    def selection(self):
        if self.has("..."):
            if self.peek()[0] == "name" and self.peek()[1] != "on":
                return Spread(self.take(), self.directives())
            if self.has("on"):
                self.take("name")
            return Field(None, None, None, self.directives(), self.selections())
        name = alias = self.take("name")
        if self.has(":"):
            name = self.take("name")
        arguments = self.pairs(")") if self.has("(") else {}
        directives = self.directives()
        fields = self.selections() if self.peek()[1] == "{" else ()
        return Field(name, alias, arguments, directives, fields)

    def selections(self):
        self.take("{")
        found = []
        while not self.has("}"):
            found.append(self.selection())
        return found

    def skip_type(self):
        while self.has("["):
            pass
        self.take("name")
        while self.has("]") or self.has("!"):
            pass

    def variables(self):
        """The defaults of the declared ones."""
        defaults = {}
        while not self.has(")"):
            self.take("$")
            name = self.take("name")
            self.take(":")
            self.skip_type()
            defaults[name] = self.value() if self.has("=") else None
        return defaults

    def document(self):
        operations, fragments = {}, {}
        while self.at < len(self.tokens):
            if self.has("fragment"):
                name = self.take("name")
                self.take("on")
                self.take("name")
                fragments[name] = Field(None, None, None, self.directives(), self.selections())
                continue
            kind = "query" if self.peek()[1] == "{" else self.take("name")
            name = self.take() if self.peek()[0] == "name" else ""
            defaults = self.variables() if self.has("(") else {}
            operations[name] = (kind, defaults, self.selections())
        return operations, fragments


def bound(value, variables):
    """A value with the variables in it replaced."""
    if isinstance(value, Variable):
        return variables.get(value)
    if isinstance(value, list):
        return [bound(one, variables) for one in value]
    if isinstance(value, dict):
        return {name: bound(one, variables) for name, one in value.items()}
    return value


class Execution:
    def __init__(self, fragments, variables):
        self.fragments, self.variables = fragments, variables

    def wanted(self, field):
        include = field.directives.get("include", {}).get("if", True)
        skip = field.directives.get("skip", {}).get("if", False)
        return bound(include, self.variables) and not bound(skip, self.variables)

    def flat(self, fields):
        for field in fields:
            if not self.wanted(field):
                continue
            if isinstance(field, Spread):
                field = self.fragments[field.name]
            if field.name is None:
                yield from self.flat(field.fields)
            else:
                yield field

    def complete(self, value, fields):
        if isinstance(value, list):
            return [self.complete(one, fields) for one in value]
        return self.answer(value, fields) if fields and value is not None else value

    def answer(self, thing, fields):
        answer = {}
        for field in self.flat(fields):
            if field.name == "__typename":
                answer[field.alias] = thing.get("__typename", "Object")
                continue
            if field.name not in thing:
                raise Refused(f'Cannot query field "{field.name}"')
            value = thing[field.name]
            if callable(value):
                value = value(**bound(field.arguments, self.variables))
            found = self.complete(value, field.fields)
            if isinstance(answer.get(field.alias), dict) and isinstance(found, dict):
                answer[field.alias].update(found)
            else:
                answer[field.alias] = found
        return answer


def execute(document, operation, variables, roots):
    """The data of an answer. roots: {"query": object, "mutation": object}."""
    operations, fragments = Parser(document).document()
    if operation not in operations and len(operations) != 1:
        raise Refused(f'Unknown operation named "{operation}"')
    kind, defaults, fields = operations.get(operation) or next(iter(operations.values()))
    return Execution(fragments, {**defaults, **variables}).answer(roots[kind], fields)
