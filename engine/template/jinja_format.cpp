#include <algorithm>

#include "engine/base/string_format.h"
#include "engine/template/jinja_calls.h"
#include "engine/template/jinja_layout.h"

// Formatting as Python has it: `pattern % args` and `pattern.format(args)`. Sources: "printf-style
// String Formatting" and "Format String Syntax" of the Python library reference.

namespace lacuna::jinja {
namespace {

class PercentFormat {
  public:
    PercentFormat(const MarkedText& pattern, const Value& args, WorkBudget* work)
        : pattern_(pattern), args_(args), work_(work) {
        const bool tuple = args.asList() && args.listKind() != ListKind::Plain;
        if (tuple) values_ = *args.asList();
        if (!tuple) values_ = {args};
    }

    Result<Value> run() {
        const std::string& bytes = pattern_.bytes();
        for (at_ = 0; at_ < bytes.size() && spend(work_);) {
            const std::size_t sign = std::min(bytes.find('%', at_), bytes.size());
            out_.append(pattern_.slice(at_, sign));
            at_ = sign + 1;
            if (sign < bytes.size()) LACUNA_TRY_STATUS(directive());
            LACUNA_TRY_STATUS(checkTextSize(out_.size()));
        }
        if (next_ < values_.size() && !args_.asDict())
            return wrongFormat("not all arguments are used by the pattern");
        return Value::text(std::move(out_));
    }

  private:
    [[nodiscard]] char peek() const { return at_ < pattern_.size() ? pattern_.bytes()[at_] : '\0'; }

    Result<Value> nextValue() {
        if (next_ >= values_.size()) return wrongFormat("not enough arguments for the pattern");
        return values_[next_++];
    }

    Result<std::optional<std::int64_t>> number() {
        if (peek() != '*') return digitsAt(pattern_.bytes(), at_);
        ++at_;
        LACUNA_TRY(const Value value, nextValue());
        if (!value.isWhole() || value.toInteger() < 0)
            return wrongFormat("* wants an integer from 0");
        return std::optional<std::int64_t>(value.toInteger());
    }

    Result<std::optional<Value>> keyed() {
        if (peek() != '(') return std::optional<Value>();
        const std::size_t end = pattern_.bytes().find(')', at_);
        if (end != std::string::npos) spend(work_, stepsOfBytes(end - at_));
        if (end == std::string::npos || !args_.asDict())
            return wrongFormat("%(name) wants a dictionary");
        const Value* found = args_.asDict()->find(pattern_.bytes().substr(at_ + 1, end - at_ - 1));
        if (!found) return wrongFormat("%(name) of a key that is not there");
        at_ = end + 1;
        return std::optional<Value>(*found);
    }

    void flags(Layout& layout) {
        for (;; ++at_) {
            const char c = peek();
            if (c == '-')
                layout.align = '<';
            else if (c == '0' && layout.align == 0) {
                layout.align = '=';
                layout.fill = "0";
            } else if (c == '+' || (c == ' ' && layout.sign != '+'))
                layout.sign = c;
            else if (c == '#')
                layout.alternate = true;
            else if (c != '0' && c != ' ')
                break;
        }
        if (layout.align == '<') layout.fill = " ";
    }

    Status directive() {
        Layout layout;
        LACUNA_TRY(std::optional<Value> value, keyed());
        flags(layout);
        LACUNA_TRY(const auto width, number());
        layout.width = width.value_or(0);
        if (peek() == '.') {
            ++at_;
            LACUNA_TRY(const auto precision, number());
            layout.precision = precision.value_or(0);
        }
        while (peek() == 'h' || peek() == 'l' || peek() == 'L') ++at_;
        layout.type = peek();
        ++at_;
        if (layout.type == '%') {
            out_.append("%");
            return {};
        }
        if (!value) {
            LACUNA_TRY(value, nextValue());
        }
        LACUNA_TRY(const MarkedText text, converted(*value, layout));
        out_.append(text);
        return {};
    }

    Result<MarkedText> converted(const Value& value, Layout layout) {
        const char type = layout.type;
        if (type == 's' || type == 'r' || type == 'a') {
            LACUNA_TRY(MarkedText text, type == 's' ? toText(value, work_) : toRepr(value, work_));
            if (layout.align == 0) layout.align = '>';
            if (layout.align == '=')
                layout = {.align = '>', .width = layout.width, .precision = layout.precision};
            return laidOutText(std::move(text), layout);
        }
        if (type == 'c' && value.asText()) return laidOutText(*value.asText(), layout);
        if (type == '\0' || std::string_view("diuoxXeEfFgG").find(type) == std::string_view::npos)
            return wrongFormat(format("\"%{}\" is not understood", type));
        if (!value.isNumber())
            return wrongFormat(
                format("\"%{}\" wants a number; found a {}", type, value.kindName()));
        if (layout.precision && *layout.precision > kMaxPrecision)
            return fail(ErrorCode::TplLimit, "formatting: a precision over 100");
        const bool whole = std::string_view("diu").find(type) != std::string_view::npos;
        if (whole) layout.type = 'd';
        if (!whole && std::string_view("oxX").find(type) == std::string_view::npos)
            return laidOutNumber(value, layout);
        if (!whole && !value.isWhole()) return wrongFormat("a base wants an integer");
        return laidOutNumber(Value::integer(value.toInteger()), layout);
    }

    const MarkedText& pattern_;
    const Value& args_;
    WorkBudget* work_;
    List values_;
    std::size_t next_ = 0;
    std::size_t at_ = 0;
    MarkedText out_;
};

class BraceFormat {
  public:
    BraceFormat(const MarkedText& pattern, const CallArgs& args) : pattern_(pattern), args_(args) {}

    Result<Value> run() {
        const std::string& bytes = pattern_.bytes();
        for (std::size_t at = 0; at < bytes.size() && spend(args_.work);) {
            const std::size_t brace = std::min(bytes.find_first_of("{}", at), bytes.size());
            out_.append(pattern_.slice(at, brace));
            if (brace == bytes.size()) break;
            if (brace + 1 < bytes.size() && bytes[brace + 1] == bytes[brace]) {
                out_.append(pattern_.slice(brace, brace + 1));
                at = brace + 2;
                continue;
            }
            const std::size_t end = bytes.find('}', brace);
            if (bytes[brace] == '}' || end == std::string::npos)
                return wrongFormat("a single brace in the pattern");
            LACUNA_TRY_STATUS(field(std::string_view(bytes).substr(brace + 1, end - brace - 1)));
            LACUNA_TRY_STATUS(checkTextSize(out_.size()));
            at = end + 1;
        }
        return Value::text(std::move(out_));
    }

  private:
    Status field(std::string_view text) {
        const std::string_view head = text.substr(0, text.find(':'));
        const std::string_view spec =
            head.size() < text.size() ? text.substr(head.size() + 1) : std::string_view();
        if (spec.find('{') != std::string_view::npos)
            return fail(ErrorCode::TplUnsupported, "a field inside a field is not built here");
        const std::string_view name = head.substr(0, head.find('!'));
        LACUNA_TRY(Value value, named(name));
        if (name.size() < head.size() && head.substr(name.size()) != "!s") {
            LACUNA_TRY(MarkedText shown, toRepr(value, args_.work));
            value = Value::text(std::move(shown));
        }
        LACUNA_TRY(const MarkedText written, laidOut(value, spec, args_.work));
        out_.append(written);
        return {};
    }

    /// `0`, `name`, nothing, and what follows it: `.attribute` or `[index]`.
    Result<Value> named(std::string_view name) {
        const std::string_view first = name.substr(0, name.find_first_of(".["));
        LACUNA_TRY(Value value, argument(first));
        for (std::string_view rest = name.substr(first.size()); !rest.empty();) {
            const bool bracket = rest[0] == '[';
            const std::size_t end = bracket ? rest.find(']') : rest.find_first_of(".[", 1);
            if (bracket && end == std::string_view::npos) return wrongFormat("[ without ]");
            const std::string_view key = rest.substr(1, std::min(end, rest.size()) - 1);
            const Value path = Value::text(std::string(key));
            LACUNA_TRY(value, bracket ? atPath(value, path, args_.work) : attributeOf(value, key));
            rest.remove_prefix(std::min(end + (bracket ? 1 : 0), rest.size()));
        }
        return value;
    }

    Result<Value> argument(std::string_view name) {
        std::size_t at = 0;
        LACUNA_TRY(const auto number, digitsAt(name, at));
        if (name.empty() || number) {
            const std::size_t place = number ? static_cast<std::size_t>(*number) : next_++;
            if (place >= args_.positional.size()) return wrongFormat("not enough arguments");
            return args_.positional[place];
        }
        const Value* value = args_.find(kNamedOnly, name);
        if (!value) return wrongFormat(format("there is no argument \"{}\"", name));
        return *value;
    }

    const MarkedText& pattern_;
    const CallArgs& args_;
    std::size_t next_ = 0;
    MarkedText out_;
};

}  // namespace

Result<Value> percentFormat(const MarkedText& pattern, const Value& args, WorkBudget* work) {
    return PercentFormat(pattern, args, work).run();
}

Result<Value> braceFormat(const MarkedText& pattern, const CallArgs& args) {
    return BraceFormat(pattern, args).run();
}

}  // namespace lacuna::jinja
