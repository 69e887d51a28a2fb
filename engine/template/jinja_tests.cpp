#include <functional>
#include <map>

#include "engine/base/string_format.h"
#include "engine/template/jinja_calls.h"
#include "engine/template/jinja_names.h"

namespace lacuna::jinja {
namespace {

using PlainTest = bool (*)(const Value&);

template <class T>
bool holds(const Value& v) {
    return std::holds_alternative<T>(v.held());
}

bool isBool(const Value& v, bool wanted) {
    const bool* b = std::get_if<bool>(&v.held());
    return b && *b == wanted;
}

bool sameCase(const Value& v, LetterCase letterCase, WorkBudget* work) {
    const MarkedText* text = v.asText();
    return text && inCase(*text, letterCase, work).bytes() == text->bytes() &&
           inCase(*text, LetterCase::Upper, work).bytes() !=
               inCase(*text, LetterCase::Lower, work).bytes();
}

const std::map<std::string_view, PlainTest>& plainTests() {
    static const std::map<std::string_view, PlainTest> table = {
        {"boolean", [](const Value& v) { return holds<bool>(v); }},
        {"callable",
         [](const Value& v) {
             return holds<MacroRef>(v) || holds<Builtin>(v) || holds<Value::MethodPtr>(v) ||
                    holds<Value::LoopPtr>(v);
         }},
        {"defined", [](const Value& v) { return !v.isUndefined(); }},
        {"false", [](const Value& v) { return isBool(v, false); }},
        {"float", [](const Value& v) { return holds<double>(v); }},
        {"integer", [](const Value& v) { return v.asInteger() || v.asBigInteger(); }},
        {"iterable",
         [](const Value& v) { return v.asText() || v.asList() || v.asDict() || v.isUndefined(); }},
        {"mapping", [](const Value& v) { return v.asDict() != nullptr; }},
        {"none", [](const Value& v) { return v.isNone(); }},
        {"number", [](const Value& v) { return v.isNumber(); }},
        {"sequence",
         [](const Value& v) {
             const bool list = v.asList() && v.listKind() != ListKind::Stream;
             return v.asText() || list || v.asDict() || v.isUndefined();
         }},
        {"string", [](const Value& v) { return v.asText() != nullptr; }},
        {"true", [](const Value& v) { return isBool(v, true); }},
        {"undefined", [](const Value& v) { return v.isUndefined(); }},
    };
    return table;
}

std::optional<CompareOp> comparison(std::string_view name) {
    static const std::map<std::string_view, CompareOp> table = {
        {"!=", CompareOp::NotEqual},     {"<", CompareOp::Less},
        {"<=", CompareOp::LessEqual},    {"==", CompareOp::Equal},
        {">", CompareOp::Greater},       {">=", CompareOp::GreaterEqual},
        {"eq", CompareOp::Equal},        {"equalto", CompareOp::Equal},
        {"ge", CompareOp::GreaterEqual}, {"greaterthan", CompareOp::Greater},
        {"gt", CompareOp::Greater},      {"in", CompareOp::In},
        {"le", CompareOp::LessEqual},    {"lessthan", CompareOp::Less},
        {"lt", CompareOp::Less},         {"ne", CompareOp::NotEqual},
    };
    const auto found = table.find(name);
    if (found == table.end()) return std::nullopt;
    return found->second;
}

}  // namespace

Result<bool> applyTest(std::string_view name, const Value& input, const CallArgs& args) {
    if (!spend(args.work, stepsOf(input) + args.steps())) return false;
    if (name == "lower") return sameCase(input, LetterCase::Lower, args.work);
    if (name == "upper") return sameCase(input, LetterCase::Upper, args.work);
    const auto plain = plainTests().find(name);
    if (plain != plainTests().end()) return plain->second(input);
    if (name == "even" || name == "odd") {
        LACUNA_TRY(const Value rest,
                   applyBinary(BinaryOp::Modulo, input, Value::integer(2), args.work));
        return (rest.toDouble() == 0) == (name == "even");
    }
    if (name == "filter" || name == "test") {
        const std::string asked = input.asText() ? input.asText()->bytes() : std::string();
        return (name == "test" ? knownTest(asked) : knownFilter(asked)) == Known::Built;
    }
    if (args.positional.size() != 1)
        return fail(ErrorCode::TplRuntime, format("the test \"{}\" needs one argument", name));
    const Value& other = args.positional[0];
    if (const auto op = comparison(name)) return applyCompare(*op, input, other, args.work);
    if (name == "divisibleby") {
        LACUNA_TRY(const Value rest, applyBinary(BinaryOp::Modulo, input, other, args.work));
        return rest.isNumber() && rest.toDouble() == 0;
    }
    if (name == "sameas") {
        if (input.held().index() != other.held().index()) return false;
        return equal(input, other, args.work);
    }
    return fail(ErrorCode::TplUnsupported, format("the test \"{}\" is not supported", name));
}

}  // namespace lacuna::jinja
