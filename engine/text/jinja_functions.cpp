#include <algorithm>
#include <array>
#include <utility>

#include "engine/text/date_text.h"
#include "engine/text/jinja_evaluator.h"

// Calls: the functions every template has, methods of values, and the template's own macros.

namespace lacuna::jinja {
namespace {

using Kind = Expr::Kind;

constexpr std::int64_t kMaxRange = 100'000;  // as Jinja's own sandbox

Result<Value> makeRange(const CallArgs& args) {
    std::array<std::int64_t, 3> numbers = {0, 0, 1};
    if (args.positional.empty() || args.positional.size() > 3)
        return fail(ErrorCode::TplRuntime, "range needs one to three numbers");
    for (std::size_t i = 0; i < args.positional.size(); ++i) {
        if (!args.positional[i].asInteger())
            return fail(ErrorCode::TplRuntime,
                        format("range of a {}; expected integers", args.positional[i].kindName()));
        numbers[i] = *args.positional[i].asInteger();
    }
    if (args.positional.size() == 1) std::swap(numbers[0], numbers[1]);
    const auto [start, stop, stride] = numbers;
    if (stride == 0) return fail(ErrorCode::TplRuntime, "range with step 0");
    List items;
    for (std::int64_t i = start; stride > 0 ? i < stop : i > stop;) {
        if (static_cast<std::int64_t>(items.size()) >= kMaxRange)
            return fail(ErrorCode::TplLimit, format("range of more than {}", kMaxRange));
        items.push_back(Value::integer(i));
        if (__builtin_add_overflow(i, stride, &i)) break;
    }
    return Value::list(std::move(items));
}

}  // namespace

Result<CallArgs> Evaluator::evalArgs(const Expr& e) {
    CallArgs args;
    for (std::size_t i = 1; i < e.parts.size(); ++i) {
        LACUNA_TRY(Value value, eval(*e.parts[i]));
        args.positional.push_back(std::move(value));
    }
    for (const auto& [name, expr] : e.named) {
        LACUNA_TRY(Value value, eval(*expr));
        args.named.emplace_back(name, std::move(value));
    }
    return args;
}

Result<Value> Evaluator::evalCall(const Expr& e) {
    LACUNA_TRY_STATUS(step(e.place));
    const Expr& callee = *e.parts[0];
    if (callee.kind == Kind::Attribute) {
        LACUNA_TRY(const Value object, eval(*callee.parts[0]));
        LACUNA_TRY(const CallArgs args, evalArgs(e));
        return at(callee.place, callOn(object, callee, args));
    }
    LACUNA_TRY(const Value function, eval(callee));
    LACUNA_TRY(const CallArgs args, evalArgs(e));
    return callValue(function, callee, args);
}

Result<Value> Evaluator::callOn(const Value& object, const Expr& callee, const CallArgs& args) {
    if (const auto* loop = std::get_if<Value::LoopPtr>(&object.held()))
        if (callee.name == "cycle" && !args.positional.empty())
            return args.positional[(*loop)->index % args.positional.size()];
    return callMethod(object, callee.name, args);
}

Result<Value> Evaluator::callValue(const Value& function, const Expr& callee,
                                   const CallArgs& args) {
    if (const auto* macro = std::get_if<Value::MacroPtr>(&function.held()))
        return callMacro(**macro, callee.place, args);
    if (const Builtin* builtin = std::get_if<Builtin>(&function.held()))
        return at(callee.place, callBuiltin(*builtin, args));
    if (function.isUndefined())
        return failAt(callee.place, ErrorCode::TplUnsupported,
                      format("the function \"{}\" is not built here", callee.name));
    return failAt(callee.place, ErrorCode::TplRuntime,
                  format("a {} cannot be called", function.kindName()));
}

Result<Value> Evaluator::callBuiltin(Builtin builtin, const CallArgs& args) {
    switch (builtin) {
        case Builtin::MakeRange:
            return makeRange(args);
        case Builtin::MakeNamespace: {
            auto space = std::make_shared<Namespace>();
            if (!args.positional.empty())
                if (const Dict* dict = args.positional[0].asDict())
                    for (const DictEntry& entry : *dict) (*space)[entry.key.bytes()] = entry.value;
            for (const auto& [name, value] : args.named) (*space)[name] = value;
            namespaces_.push_back(space);
            return Value(Value::Held(std::move(space)));
        }
        case Builtin::MakeDict: {
            Dict entries;
            for (const auto& [name, value] : args.named)
                entries.push_back({MarkedText(name), value});
            return Value::dict(std::move(entries));
        }
        case Builtin::RaiseException: {
            const Value message = args.positional.empty() ? Value() : args.positional[0];
            LACUNA_TRY(const MarkedText text, toText(message));
            return fail(
                ErrorCode::TplRefused,
                format("the model's template refuses these messages: \"{}\"", text.bytes()));
        }
        case Builtin::StrftimeNow: {
            LACUNA_TRY(const auto pattern, args.text(0, "format"));
            if (!pattern) return fail(ErrorCode::TplRuntime, "strftime_now needs a format");
            LACUNA_TRY(std::string date, dateText(pattern->bytes(), input_.unixTime));
            return Value::text(std::move(date));
        }
    }
    return Value();
}

Result<Value> Evaluator::callMacro(const Statement& macro, Place place, const CallArgs& args) {
    if (macros_ >= kMaxMacroDepth)
        return failAt(place, ErrorCode::TplLimit,
                      format("macros call each other deeper than {}", kMaxMacroDepth));
    if (args.positional.size() > macro.parameters.size())
        return failAt(place, ErrorCode::TplRuntime,
                      format("the macro \"{}\" takes {} arguments, not {}", macro.text,
                             macro.parameters.size(), args.positional.size()));
    const std::size_t outerBase = macroBase_;
    macroBase_ = frames_.size();
    frames_.emplace_back();
    ++macros_;
    auto written = macroBody(macro, place, args);
    --macros_;
    frames_.pop_back();
    macroBase_ = outerBase;
    LACUNA_TRY(MarkedText text, std::move(written));
    return Value::text(std::move(text));
}

Result<MarkedText> Evaluator::macroBody(const Statement& macro, Place place, const CallArgs& args) {
    for (const auto& [name, value] : args.named) {
        const bool known = std::any_of(macro.parameters.begin(), macro.parameters.end(),
                                       [&](const Parameter& p) { return p.name == name; });
        if (!known)
            return failAt(place, ErrorCode::TplRuntime,
                          format("the macro \"{}\" has no argument \"{}\"", macro.text, name));
    }
    for (std::size_t i = 0; i < macro.parameters.size(); ++i) {
        const Parameter& parameter = macro.parameters[i];
        Value value = Value::undefined(parameter.name);
        if (const Value* given = args.find(i, parameter.name)) {
            value = *given;
        } else if (parameter.fallback) {
            LACUNA_TRY(value, eval(*parameter.fallback));
        }
        newest()[parameter.name] = std::move(value);
    }
    return captured(macro.body);
}

}  // namespace lacuna::jinja
