#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "engine/base/string_format.h"
#include "engine/template/jinja_calls.h"

// Arithmetic, comparison and element access with Python semantics.

namespace lacuna::jinja {
namespace {

constexpr std::size_t kMaxListItems = 1'000'000;

tl::unexpected<Error> misfit(std::string_view what, const Value& a, const Value& b) {
    const auto shown = [](const Value& v) {
        if (v.isUndefined())
            return format("\"{}\", which is undefined", std::get<Undefined>(v.held()).name);
        return format("a {}", v.kindName());
    };
    return fail(ErrorCode::TplRuntime, format("cannot {} {} and {}", what, shown(a), shown(b)));
}

tl::unexpected<Error> overflow() {
    return fail(ErrorCode::TplRuntime, "a number does not fit 64 bits");
}

bool isFloat(const Value& v) {
    return std::holds_alternative<double>(v.held());
}

std::int64_t floorDivide(std::int64_t a, std::int64_t b) {
    const std::int64_t quotient = a / b;
    return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

Result<Value> power(const Value& a, const Value& b) {
    if (!isFloat(a) && !isFloat(b) && b.toInteger() >= 0) {
        std::int64_t result = 1;
        std::int64_t base = a.toInteger();
        if (b.toInteger() > 63 && base != 0 && base != 1 && base != -1) return overflow();
        for (std::int64_t n = base == 1 || base == 0 ? std::min<std::int64_t>(b.toInteger(), 1)
                              : base == -1           ? b.toInteger() % 2
                                                     : b.toInteger();
             n > 0; --n)
            if (__builtin_mul_overflow(result, base, &result)) return overflow();
        return Value::integer(result);
    }
    const double result = std::pow(a.toDouble(), b.toDouble());
    if (!std::isfinite(result))
        return fail(ErrorCode::TplRuntime, "a power is not a finite number");
    return Value::number(result);
}

Result<Value> integerResult(BinaryOp op, std::int64_t a, std::int64_t b) {
    std::int64_t out = 0;
    if (op == BinaryOp::Add) {
        if (__builtin_add_overflow(a, b, &out)) return overflow();
    } else if (op == BinaryOp::Subtract) {
        if (__builtin_sub_overflow(a, b, &out)) return overflow();
    } else if (op == BinaryOp::Multiply) {
        if (__builtin_mul_overflow(a, b, &out)) return overflow();
    } else {
        if (b == 0) return fail(ErrorCode::TplRuntime, "division by zero");
        if (a == std::numeric_limits<std::int64_t>::min() && b == -1) return overflow();
        out = op == BinaryOp::FloorDivide ? floorDivide(a, b) : a - floorDivide(a, b) * b;
    }
    return Value::integer(out);
}

Result<Value> numbers(BinaryOp op, const Value& a, const Value& b) {
    if (a.asBigInteger() || b.asBigInteger()) return overflow();
    if (op == BinaryOp::Power) return power(a, b);
    if (!isFloat(a) && !isFloat(b) && op != BinaryOp::Divide)
        return integerResult(op, a.toInteger(), b.toInteger());
    const double x = a.toDouble();
    const double y = b.toDouble();
    switch (op) {
        case BinaryOp::Add:
            return Value::number(x + y);
        case BinaryOp::Subtract:
            return Value::number(x - y);
        case BinaryOp::Multiply:
            return Value::number(x * y);
        case BinaryOp::Divide:
        case BinaryOp::FloorDivide:
        case BinaryOp::Modulo:
        case BinaryOp::Power:
            break;
    }
    if (y == 0) return fail(ErrorCode::TplRuntime, "division by zero");
    if (op == BinaryOp::Divide) return Value::number(x / y);
    double rest = std::fmod(x, y);
    if (rest != 0 && (rest < 0) != (y < 0)) rest += y;
    return Value::number(op == BinaryOp::Modulo ? rest : std::round((x - rest) / y));
}

Result<Value> repeated(const Value& what, const Value& times, WorkBudget* work) {
    const std::int64_t count = std::max<std::int64_t>(0, times.toInteger());
    const auto size = static_cast<std::uint64_t>(count);
    if (const MarkedText* text = what.asText()) {
        if (text->empty()) return what;
        LACUNA_TRY_STATUS(checkTextSize(size > std::numeric_limits<std::uint32_t>::max()
                                            ? std::numeric_limits<std::size_t>::max()
                                            : text->size() * size));
        MarkedText out;
        for (std::uint64_t i = 0; i < size && spend(work, stepsOfBytes(text->size())); ++i)
            out.append(*text);
        return textLike(what, std::move(out));
    }
    const List& list = *what.asList();
    if (!list.empty() && size > kMaxListItems / list.size())
        return fail(ErrorCode::TplLimit, format("a list has more than {} elements", kMaxListItems));
    List out;
    if (!list.empty())
        for (std::uint64_t i = 0; i < size && spend(work, list.size()); ++i)
            out.insert(out.end(), list.begin(), list.end());
    return Value::list(std::move(out), what.listKind());
}

Result<Value> add(const Value& a, const Value& b) {
    if (a.asText() && b.asText()) {
        LACUNA_TRY_STATUS(checkTextSize(a.asText()->size() + b.asText()->size()));
        const bool markup = a.isMarkup() || b.isMarkup();
        MarkedText out = markup && !a.isMarkup() ? escapedForHtml(*a.asText()) : *a.asText();
        out.append(markup && !b.isMarkup() ? escapedForHtml(*b.asText()) : *b.asText());
        return markup ? Value::markup(std::move(out)) : Value::text(std::move(out));
    }
    if (a.asList() && b.asList() && a.listKind() == b.listKind()) {
        if (a.asList()->size() + b.asList()->size() > kMaxListItems)
            return fail(ErrorCode::TplLimit,
                        format("a list has more than {} elements", kMaxListItems));
        List out = *a.asList();
        out.insert(out.end(), b.asList()->begin(), b.asList()->end());
        return Value::list(std::move(out), a.listKind());
    }
    return misfit("add", a, b);
}

std::string_view verb(BinaryOp op) {
    switch (op) {
        case BinaryOp::Add:
            return "add";
        case BinaryOp::Subtract:
            return "subtract";
        case BinaryOp::Multiply:
            return "multiply";
        case BinaryOp::Divide:
        case BinaryOp::FloorDivide:
            return "divide";
        case BinaryOp::Modulo:
            return "take the remainder of";
        case BinaryOp::Power:
            return "take the power of";
    }
    return "combine";
}

Result<bool> contains(const Value& container, const Value& wanted, WorkBudget* work) {
    spend(work, stepsOf(wanted));
    if (const MarkedText* text = container.asText()) {
        const MarkedText* part = wanted.asText();
        if (!part) return misfit("use \"in\" with", wanted, container);
        spend(work, text->size() / 4);
        return findFirst(text->bytes(), part->bytes()) != std::string::npos;
    }
    if (const Dict* dict = container.asDict()) return dict->find(wanted) != nullptr;
    if (container.isUndefined()) return false;
    if (!container.asList()) return misfit("use \"in\" with", wanted, container);
    for (const Value& item : *container.asList()) {
        LACUNA_TRY(const bool same, equal(item, wanted, work));
        if (same) return true;
    }
    return false;
}

Value loopAttribute(const LoopState& loop, std::string_view name) {
    const auto index = static_cast<std::int64_t>(loop.index);
    const auto length = static_cast<std::int64_t>(loop.items->size());
    if (name == "index") return Value::integer(index + 1);
    if (name == "index0") return Value::integer(index);
    if (name == "revindex") return Value::integer(length - index);
    if (name == "revindex0") return Value::integer(length - index - 1);
    if (name == "first") return Value::boolean(index == 0);
    if (name == "last") return Value::boolean(index + 1 == length);
    if (name == "length") return Value::integer(length);
    if (name == "depth") return Value::integer(loop.depth);
    if (name == "depth0") return Value::integer(loop.depth - 1);
    if (name == "previtem" && index > 0) return (*loop.items)[loop.index - 1];
    if (name == "nextitem" && index + 1 < length) return (*loop.items)[loop.index + 1];
    if (name == "cycle" || name == "changed") return Value::method(Value::loop(loop), name);
    return Value::undefined(name);
}

tl::unexpected<Error> ofUndefined(const Value& object, std::string_view what) {
    return fail(ErrorCode::TplRuntime, format("\"{}\" is undefined, so it has no {}",
                                              std::get<Undefined>(object.held()).name, what));
}

/// Returns the indices of a slice of `length` elements, like Python's slice.indices.
std::vector<std::size_t> sliceIndices(const SliceBounds& bounds, std::size_t length) {
    const auto size = static_cast<std::int64_t>(length);
    const bool forward = bounds.step > 0;
    const auto place = [&](std::optional<std::int64_t> at, std::int64_t fallback) {
        if (!at) return fallback;
        const std::int64_t low = forward ? 0 : -1;
        const std::int64_t high = forward ? size : size - 1;
        return std::clamp(*at < 0 ? *at + size : *at, low, high);
    };
    const std::int64_t start = place(bounds.start, forward ? 0 : size - 1);
    const std::int64_t stop = place(bounds.stop, forward ? size : -1);
    std::vector<std::size_t> indices;
    for (std::int64_t i = start; forward ? i < stop : i > stop;) {
        indices.push_back(static_cast<std::size_t>(i));
        if (__builtin_add_overflow(i, bounds.step, &i)) break;
    }
    return indices;
}

}  // namespace

Result<Value> applyBinary(BinaryOp op, const Value& a, const Value& b, WorkBudget* work) {
    if (a.isNumber() && b.isNumber()) return numbers(op, a, b);
    if (!spend(work, stepsOf(a) + stepsOf(b))) return Value();
    if (op == BinaryOp::Add) return add(a, b);
    if (op == BinaryOp::Multiply) {
        if ((a.asText() || a.asList()) && b.isWhole()) return repeated(a, b, work);
        if ((b.asText() || b.asList()) && a.isWhole()) return repeated(b, a, work);
    }
    if (op == BinaryOp::Modulo && a.asText()) return percentFormat(*a.asText(), b, work);
    return misfit(verb(op), a, b);
}

Result<bool> applyCompare(CompareOp op, const Value& a, const Value& b, WorkBudget* work) {
    switch (op) {
        case CompareOp::Equal:
            return equal(a, b, work);
        case CompareOp::NotEqual: {
            LACUNA_TRY(const bool same, equal(a, b, work));
            return !same;
        }
        case CompareOp::In:
            return contains(b, a, work);
        case CompareOp::NotIn: {
            LACUNA_TRY(const bool inside, contains(b, a, work));
            return !inside;
        }
        case CompareOp::Less:
        case CompareOp::LessEqual:
        case CompareOp::Greater:
        case CompareOp::GreaterEqual:
            break;
    }
    LACUNA_TRY(const int order, ordered(a, b, work));
    if (op == CompareOp::Less) return order < 0;
    if (op == CompareOp::LessEqual) return order <= 0;
    return op == CompareOp::Greater ? order > 0 : order >= 0;
}

Result<Value> attributeOf(const Value& object, std::string_view name) {
    if (object.isUndefined()) return ofUndefined(object, format("attribute \"{}\"", name));
    if (const auto* loop = std::get_if<Value::LoopPtr>(&object.held()))
        return loopAttribute(**loop, name);
    switch (methodOf(object, name)) {  // as in Jinja, a method hides a key with the same name
        case MethodUse::Reads:
            return Value::method(object, name);
        case MethodUse::Changes:
            return Value::undefined(
                format("{}, which would change a {},", name, object.kindName()));
        case MethodUse::None:
            break;
    }
    if (const Dict* dict = object.asDict())
        if (const Value* found = dict->find(name)) return *found;
    if (const auto* space = std::get_if<Value::NamespacePtr>(&object.held())) {
        const auto found = (*space)->find(std::string(name));
        if (found != (*space)->end()) return found->second;
    }
    if (const auto* macro = std::get_if<MacroRef>(&object.held()))
        if (name == "name") return Value::text(macro->statement->text);
    if (object.asList() && object.listKind() == ListKind::Group) {
        if (name == "grouper") return (*object.asList())[0];
        if (name == "list") return (*object.asList())[1];
    }
    return Value::undefined(name);
}

Result<Value> elementOf(const Value& object, const Value& key, WorkBudget* work) {
    if (!spend(work, stepsOf(key))) return Value();
    if (object.isUndefined()) return ofUndefined(object, "elements");
    if (const Dict* dict = object.asDict())
        if (const Value* found = dict->find(key)) return *found;
    if (const MarkedText* name = key.asText()) return attributeOf(object, name->bytes());
    if (!key.isWhole()) return Value::undefined("an element");
    const MarkedText* text = object.asText();
    const bool list = object.asList() && object.listKind() != ListKind::Stream;
    if (!text && !list) return Value::undefined("an element");
    if (text && !spend(work, text->size())) return Value();
    const auto length =
        static_cast<std::int64_t>(text ? text->characterCount() : object.asList()->size());
    const std::int64_t index = key.toInteger() < 0 ? key.toInteger() + length : key.toInteger();
    if (index < 0 || index >= length) return Value::undefined(format("[{}]", key.toInteger()));
    const auto at = static_cast<std::size_t>(index);
    if (!text) return (*object.asList())[at];
    const ByteRange character = text->character(at);
    return Value::text(text->slice(character.begin, character.end));
}

Result<Value> atPath(const Value& object, const Value& path, WorkBudget* work) {
    if (!path.asText()) return elementOf(object, path, work);
    std::string_view rest = path.asText()->bytes();
    Value value = object;
    for (;;) {
        const std::string_view part = rest.substr(0, rest.find('.'));
        std::int64_t index = 0;
        const auto parsed = std::from_chars(part.data(), part.data() + part.size(), index);
        const bool isIndex =
            parsed.ec == std::errc() && parsed.ptr == part.data() + part.size() && index >= 0;
        LACUNA_TRY(
            value,
            elementOf(value, isIndex ? Value::integer(index) : Value::text(std::string(part)),
                      work));
        if (part.size() == rest.size()) return value;
        rest.remove_prefix(part.size() + 1);
    }
}

Result<Value> sliceOf(const Value& object, const SliceBounds& bounds, WorkBudget* work) {
    if (bounds.step == 0) return fail(ErrorCode::TplRuntime, "a slice has step 0");
    if (object.isUndefined()) return ofUndefined(object, "slices");
    if (const List* list = object.asList()) {
        List out;
        if (!spend(work, list->size())) return Value();
        for (const std::size_t i : sliceIndices(bounds, list->size())) out.push_back((*list)[i]);
        return Value::list(std::move(out), object.listKind());
    }
    const MarkedText* text = object.asText();
    if (!text) return fail(ErrorCode::TplRuntime, format("a {} has no slices", object.kindName()));
    if (!spend(work, text->size())) return Value();
    const std::vector<ByteRange> characters = text->characters();
    const std::vector<std::size_t> indices = sliceIndices(bounds, characters.size());
    if (bounds.step == 1)
        return Value::text(indices.empty() ? MarkedText()
                                           : text->slice(characters[indices.front()].begin,
                                                         characters[indices.back()].end));
    MarkedText out;
    for (const std::size_t i : indices) {
        if (!spend(work)) break;
        out.append(text->slice(characters[i].begin, characters[i].end));
    }
    return Value::text(std::move(out));
}

}  // namespace lacuna::jinja
