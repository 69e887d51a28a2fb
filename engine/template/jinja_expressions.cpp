#include <algorithm>
#include <array>
#include <optional>

#include "engine/template/jinja_evaluator.h"

// Evaluation of expressions.

namespace lacuna::jinja {
namespace {

using Kind = Expr::Kind;

}  // namespace

Status Evaluator::countMade(Place place, const Value& value) {
    if (value.depth() > kMaxValueDepth)
        return failAt(place, ErrorCode::TplLimit,
                      format("lists are nested deeper than {}", kMaxValueDepth));
    if (const MarkedText* text = value.asText()) made_ += text->size();
    if (const List* list = value.asList()) made_ += list->size() * sizeof(Value);
    if (const Dict* dict = value.asDict()) made_ += dict->size() * (sizeof(DictEntry) + 64);
    if (made_ <= kMaxBytesMade) return {};
    return failAt(place, ErrorCode::TplLimit, "the template builds more text than 256 MiB");
}

Value Evaluator::lookUp(const std::string& name) {
    for (std::size_t i = top();; i = frames_[i].parent) {
        work_.spend(stepsOfBytes(name.size()));
        const auto found = frames_[i].variables.find(name);
        if (found != frames_[i].variables.end()) return found->second;
        if (i == 0) return Value::undefined(name);
    }
}

Result<Value> Evaluator::eval(const Expr& e) {
    const Depth depth(depth_);
    LACUNA_TRY_STATUS(checkDepth(e.place));
    if (++nodes_ > kMaxNodes)
        return failAt(e.place, ErrorCode::TplLimit,
                      format("the template evaluates more than {} values", kMaxNodes));
    LACUNA_TRY(Value value, evalKind(e));
    work_.spend();
    LACUNA_TRY_STATUS(checkWork(e.place));
    const bool copied = e.kind == Kind::Name || e.kind == Kind::Attribute ||
                        e.kind == Kind::Conditional || e.kind == Kind::Or;
    if (!copied) LACUNA_TRY_STATUS(countMade(e.place, value));
    return value;
}

Result<Value> Evaluator::evalKind(const Expr& e) {
    switch (e.kind) {
        case Kind::Constant:
            return constant(e.constant);
        case Kind::Name:
            return lookUp(e.name);
        case Kind::Body:
            return bodies_.back();
        case Kind::List:
        case Kind::Tuple:
            return evalList(e);
        case Kind::Dict:
            return evalDict(e);
        case Kind::Attribute:
        case Kind::Subscript:
            return evalAccess(e);
        case Kind::Slice:
            return evalSlice(e);
        case Kind::Call:
            return evalCall(e);
        case Kind::Filter:
        case Kind::Test:
            return evalApplied(e);
        case Kind::Negate:
        case Kind::Plus:
            return evalSign(e);
        case Kind::Not: {
            LACUNA_TRY(const Value value, eval(*e.parts[0]));
            return Value::boolean(!value.truthy());
        }
        case Kind::And:
        case Kind::Or:
            return evalLogic(e);
        case Kind::Binary: {
            LACUNA_TRY(const Value a, eval(*e.parts[0]));
            LACUNA_TRY(const Value b, eval(*e.parts[1]));
            return at(e.place, applyBinary(e.binary, a, b, &work_));
        }
        case Kind::Compare:
            return evalCompare(e);
        case Kind::Concat:
            return evalConcat(e);
        case Kind::Conditional: {
            LACUNA_TRY(const Value condition, eval(*e.parts[1]));
            if (condition.truthy()) return eval(*e.parts[0]);
            if (e.parts[2]) return eval(*e.parts[2]);
            return Value::undefined("an inline if without else");
        }
    }
    return Value();
}

Result<Value> Evaluator::evalAccess(const Expr& e) {
    LACUNA_TRY(const Value object, eval(*e.parts[0]));
    if (e.kind == Kind::Attribute) {
        work_.spend(stepsOfBytes(e.name.size()));
        return at(e.place, attributeOf(object, e.name));
    }
    LACUNA_TRY(const Value key, eval(*e.parts[1]));
    return at(e.place, elementOf(object, key, &work_));
}

Result<Value> Evaluator::evalApplied(const Expr& e) {
    LACUNA_TRY_STATUS(step(e.place));
    LACUNA_TRY(const Value input, eval(*e.parts[0]));
    LACUNA_TRY(const CallArgs args, evalArgs(e));
    if (e.kind == Kind::Filter) {
        if (input.asText())
            LACUNA_TRY_STATUS(countMade(e.place, input));  // the filter will read it
        return at(e.place, applyFilter(e.name, input, args));
    }
    LACUNA_TRY(const bool passes, at(e.place, applyTest(e.name, input, args)));
    return Value::boolean(passes);
}

Result<Value> Evaluator::evalSign(const Expr& e) {
    LACUNA_TRY(const Value value, eval(*e.parts[0]));
    const Value sign = Value::integer(e.kind == Kind::Plus ? 1 : -1);
    if (!value.isNumber())
        return failAt(e.place, ErrorCode::TplRuntime,
                      format("a sign before a {}", value.kindName()));
    return at(e.place, applyBinary(BinaryOp::Multiply, value, sign, &work_));
}

Value Evaluator::constant(const Literal& literal) {
    if (const bool* b = std::get_if<bool>(&literal)) return Value::boolean(*b);
    if (const auto* i = std::get_if<std::int64_t>(&literal)) return Value::integer(*i);
    if (const double* d = std::get_if<double>(&literal)) return Value::number(*d);
    if (const auto* text = std::get_if<std::string>(&literal)) return Value::text(*text);
    return Value();
}

Result<Value> Evaluator::evalList(const Expr& e) {
    List items;
    for (const ExprPtr& part : e.parts) {
        LACUNA_TRY(Value item, eval(*part));
        items.push_back(std::move(item));
    }
    return Value::list(std::move(items), e.kind == Kind::Tuple ? ListKind::Tuple : ListKind::Plain);
}

Result<Value> Evaluator::evalDict(const Expr& e) {
    Dict entries;
    for (std::size_t i = 0; i + 1 < e.parts.size(); i += 2) {
        LACUNA_TRY(Value key, eval(*e.parts[i]));
        LACUNA_TRY(Value value, eval(*e.parts[i + 1]));
        work_.spend(stepsOf(key));
        auto added = entries.set(std::move(key), std::move(value));
        if (!added) return placed(std::move(added).error(), e.parts[i]->place);
    }
    return Value::dict(std::move(entries));
}

Result<Value> Evaluator::evalSlice(const Expr& e) {
    LACUNA_TRY(const Value object, eval(*e.parts[0]));
    std::array<std::optional<std::int64_t>, 3> bounds;
    for (std::size_t i = 0; i < bounds.size(); ++i) {
        if (!e.parts[i + 1]) continue;
        LACUNA_TRY(const Value bound, eval(*e.parts[i + 1]));
        if (bound.isNone()) continue;
        if (!bound.isWhole())
            return failAt(e.place, ErrorCode::TplRuntime,
                          format("a slice bound is a {}; expected an integer", bound.kindName()));
        bounds[i] = bound.toInteger();
    }
    return at(e.place, sliceOf(object, {bounds[0], bounds[1], bounds[2].value_or(1)}, &work_));
}

Result<Value> Evaluator::evalLogic(const Expr& e) {
    Value last;
    for (const ExprPtr& part : e.parts) {
        LACUNA_TRY(last, eval(*part));
        if (last.truthy() == (e.kind == Kind::Or)) break;
    }
    return last;
}

Result<Value> Evaluator::evalCompare(const Expr& e) {
    LACUNA_TRY(Value left, eval(*e.parts[0]));
    for (std::size_t i = 0; i < e.compares.size(); ++i) {
        LACUNA_TRY(Value right, eval(*e.parts[i + 1]));
        LACUNA_TRY(const bool holds, at(e.place, applyCompare(e.compares[i], left, right, &work_)));
        if (!holds) return Value::boolean(false);
        left = std::move(right);
    }
    return Value::boolean(true);
}

Result<Value> Evaluator::evalConcat(const Expr& e) {
    MarkedText text;
    for (const ExprPtr& part : e.parts) {
        LACUNA_TRY(const Value value, eval(*part));
        LACUNA_TRY(const MarkedText more, at(part->place, toText(value, &work_)));
        text.append(more);
        auto size = checkTextSize(text.size());
        if (!size) return placed(std::move(size).error(), e.place);
    }
    return Value::text(std::move(text));
}

}  // namespace lacuna::jinja
