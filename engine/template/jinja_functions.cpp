#include <algorithm>
#include <array>
#include <utility>

#include "engine/template/date_text.h"
#include "engine/template/jinja_evaluator.h"

// Calls: arguments, and the functions available in every template.

namespace lacuna::jinja {
namespace {

using Kind = Expr::Kind;

constexpr std::int64_t kMaxRange = 100'000;  // limit of Jinja's own sandbox

Result<Value> makeRange(const CallArgs& args) {
    std::array<std::int64_t, 3> numbers = {0, 0, 1};
    if (args.positional.empty() || args.positional.size() > 3)
        return fail(ErrorCode::TplRuntime, "range needs one to three numbers");
    for (std::size_t i = 0; i < args.positional.size(); ++i) {
        if (!args.positional[i].isWhole())
            return fail(ErrorCode::TplRuntime,
                        format("range has a {}; expected integers", args.positional[i].kindName()));
        numbers[i] = args.positional[i].toInteger();
    }
    if (args.positional.size() == 1) std::swap(numbers[0], numbers[1]);
    const auto [start, stop, stride] = numbers;
    if (stride == 0) return fail(ErrorCode::TplRuntime, "range has step 0");
    List items;
    for (std::int64_t i = start; stride > 0 ? i < stop : i > stop;) {
        if (static_cast<std::int64_t>(items.size()) >= kMaxRange)
            return fail(ErrorCode::TplLimit, format("range has more than {} numbers", kMaxRange));
        spend(args.work);
        items.push_back(Value::integer(i));
        if (__builtin_add_overflow(i, stride, &i)) break;
    }
    return Value::list(std::move(items));
}

Result<Value> makeDict(const CallArgs& args) {
    Dict made;
    if (!args.positional.empty()) {
        const Value& source = args.positional[0];
        if (const Dict* dict = source.asDict()) made = *dict;
        LACUNA_TRY(const Value::ListPtr pairs,
                   source.asDict() ? std::make_shared<const List>() : elements(source, args.work));
        for (const Value& pair : *pairs) {
            LACUNA_TRY(const Value::ListPtr parts, elements(pair, args.work));
            if (parts->size() != 2)
                return fail(ErrorCode::TplRuntime, "dict needs pairs of a key and a value");
            LACUNA_TRY_STATUS(made.set((*parts)[0], (*parts)[1]));
        }
    }
    for (std::size_t i = 0; i < args.named.size(); ++i)
        LACUNA_TRY_STATUS(made.set(args.nameAsText(i), args.named[i].second));
    return Value::dict(std::move(made));
}

}  // namespace

Result<CallArgs> Evaluator::evalArgs(const Expr& e) {
    CallArgs args;
    args.work = &work_;
    for (std::size_t i = 1; i < e.parts.size(); ++i) {
        LACUNA_TRY(Value value, eval(*e.parts[i]));
        args.positional.push_back(std::move(value));
    }
    for (const auto& [name, expr] : e.named) {
        LACUNA_TRY(Value value, eval(*expr));
        args.named.emplace_back(name, std::move(value));
    }
    LACUNA_TRY_STATUS(spreadArgs(e, args));
    return args;
}

/// Expands *list and **dictionary.
Status Evaluator::spreadArgs(const Expr& e, CallArgs& args) {
    if (e.spread) {
        LACUNA_TRY(const Value value, eval(*e.spread));
        LACUNA_TRY(const Value::ListPtr items, at(e.spread->place, elements(value, &work_)));
        LACUNA_TRY_STATUS(countMade(e.place, value));
        args.positional.insert(args.positional.end(), items->begin(), items->end());
    }
    if (!e.namedSpread) return {};
    LACUNA_TRY(const Value value, eval(*e.namedSpread));
    const Dict* dict = value.asDict();
    if (!dict)
        return failAt(e.place, ErrorCode::TplRuntime,
                      format("named arguments from a {}; expected a dictionary", value.kindName()));
    work_.spend(dict->size());
    args.firstSpread = args.named.size();
    for (const DictEntry& entry : dict->entries()) {
        if (!entry.key.asText())
            return failAt(e.place, ErrorCode::TplRuntime,
                          "the name of an argument is not a string");
        args.named.emplace_back(entry.key.asText()->bytes(), entry.value);
    }
    return {};
}

Result<Value> Evaluator::evalCall(const Expr& e) {
    LACUNA_TRY_STATUS(step(e.place));
    const Expr& callee = *e.parts[0];
    LACUNA_TRY(const Value function, eval(callee));
    LACUNA_TRY(const CallArgs args, evalArgs(e));
    return callValue(function, callee, args);
}

Result<Value> Evaluator::callValue(const Value& function, const Expr& callee,
                                   const CallArgs& args) {
    if (const auto* macro = std::get_if<MacroRef>(&function.held()))
        return callMacro(*macro, callee.place, args);
    if (const Builtin* builtin = std::get_if<Builtin>(&function.held()))
        return at(callee.place, callBuiltin(*builtin, args));
    if (const auto* loop = std::get_if<Value::LoopPtr>(&function.held()))
        return callLoop(**loop, callee.place, args);
    if (const auto* method = std::get_if<Value::MethodPtr>(&function.held())) {
        const auto& [object, name] = **method;
        if (const auto* loop = std::get_if<Value::LoopPtr>(&object.held()))
            return at(callee.place, loopMethod(**loop, name, args));
        LACUNA_TRY_STATUS(countMade(callee.place, object));
        return at(callee.place, callMethod(object, name, args));
    }
    if (function.isUndefined() && callee.kind == Kind::Name)
        return failAt(callee.place, ErrorCode::TplUnsupported,
                      format("the function \"{}\" is not supported", callee.name));
    if (function.isUndefined())
        return failAt(callee.place, ErrorCode::TplRuntime,
                      format("\"{}\" is undefined, so it cannot be called",
                             std::get<Undefined>(function.held()).name));
    return failAt(callee.place, ErrorCode::TplRuntime,
                  format("a {} cannot be called", function.kindName()));
}

Result<Value> Evaluator::callBuiltin(Builtin builtin, const CallArgs& args) {
    work_.spend(args.steps());
    switch (builtin) {
        case Builtin::MakeRange:
            return makeRange(args);
        case Builtin::MakeNamespace: {
            auto space = std::make_shared<Namespace>();
            if (!args.positional.empty())
                if (const Dict* dict = args.positional[0].asDict())
                    for (const DictEntry& entry : dict->entries())
                        if (const MarkedText* name = entry.key.asText())
                            (*space)[name->bytes()] = entry.value;
            for (const auto& [name, value] : args.named) (*space)[name] = value;
            namespaces_.push_back(space);
            return Value(Value::Held(std::move(space)));
        }
        case Builtin::MakeDict:
            return makeDict(args);
        case Builtin::RaiseException: {
            const Value message = args.positional.empty() ? Value() : args.positional[0];
            LACUNA_TRY(const MarkedText text, toText(message, args.work));
            return fail(
                ErrorCode::TplRefused,
                format("the model's template rejects these messages: \"{}\"", text.bytes()));
        }
        case Builtin::StrftimeNow: {
            LACUNA_TRY(const auto pattern, args.text(0, "format"));
            if (!pattern) return fail(ErrorCode::TplRuntime, "strftime_now needs a format");
            LACUNA_TRY(std::string date, dateText(pattern->bytes(), input_.unixTime));
            // A format copies the characters of its pattern, so the result is message text if any
            // part of the pattern is.
            const bool ofMessage = std::ranges::any_of(
                pattern->spans(),
                [](const PromptSpan& span) { return span.source == PromptSpan::Source::Message; });
            return Value::text(MarkedText(std::move(date), ofMessage
                                                               ? MarkedText::Source::Message
                                                               : MarkedText::Source::Template));
        }
    }
    return Value();
}

}  // namespace lacuna::jinja
