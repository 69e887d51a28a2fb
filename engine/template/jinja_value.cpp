#include "engine/template/jinja_value.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "engine/base/string_format.h"

namespace lacuna::jinja {
namespace {

constexpr std::size_t kMaxTextBytes = 16U << 20;
constexpr std::size_t kMaxCharacters = 1'000'000;
constexpr int kMaxCompared = 100'000;

/// Compares two values of any depth.
class Comparison {
  public:
    explicit Comparison(WorkBudget* work) : work_(work) {}

    Result<bool> equal(const Value& a, const Value& b) {
        LACUNA_TRY_STATUS(count());
        if (a.asList() && b.asList())
            return isTuple(a) == isTuple(b) ? equalLists(*a.asList(), *b.asList()) : false;
        if (a.asDict() && b.asDict()) return equalDicts(*a.asDict(), *b.asDict());
        return equalPlain(a, b);
    }

    Result<int> ordered(const Value& a, const Value& b) {
        LACUNA_TRY_STATUS(count());
        if (a.isNumber() && b.isNumber()) {
            if (a.asBigInteger() || b.asBigInteger()) return orderedBig(a, b);
            if (a.isWhole() && b.isWhole()) return sign(a.toInteger(), b.toInteger());
            return sign(a.toDouble(), b.toDouble());
        }
        if (a.asText() && b.asText()) spendTexts(*a.asText(), *b.asText());
        if (a.asText() && b.asText())
            return sign(a.asText()->bytes().compare(b.asText()->bytes()), 0);
        if (a.asList() && b.asList() && isTuple(a) == isTuple(b))
            return orderedLists(*a.asList(), *b.asList());
        return fail(ErrorCode::TplRuntime, format("cannot compare {} and {}", shown(a), shown(b)));
    }

  private:
    Status count() {
        spend(work_);
        if (++compared_ <= kMaxCompared) return {};
        return fail(ErrorCode::TplLimit,
                    format("a comparison has more than {} elements", kMaxCompared));
    }
    template <class T>
    static int sign(T a, T b) {
        return (a > b) - (a < b);
    }
    /// Compares two numbers, at least one of them beyond 64 bits. Against a 64-bit integer, the
    /// sign of the big one decides.
    static int orderedBig(const Value& a, const Value& b) {
        const std::string* left = a.asBigInteger();
        const std::string* right = b.asBigInteger();
        const auto negative = [](const std::string& digits) { return digits.front() == '-'; };
        if (left && right && negative(*left) == negative(*right)) {
            const int order = left->size() != right->size() ? sign(left->size(), right->size())
                                                            : sign(left->compare(*right), 0);
            return negative(*left) ? -order : order;
        }
        const bool fraction = std::holds_alternative<double>((left ? b : a).held());
        if (fraction) return sign(a.toDouble(), b.toDouble());
        if (left) return negative(*left) ? -1 : 1;
        return negative(*right) ? 1 : -1;
    }
    static std::string shown(const Value& v) {
        if (v.isUndefined())
            return format("\"{}\", which is undefined", std::get<Undefined>(v.held()).name);
        return format("a {}", v.kindName());
    }
    static bool isTuple(const Value& v) {
        return v.listKind() == ListKind::Tuple || v.listKind() == ListKind::Group;
    }
    void spendTexts(const MarkedText& a, const MarkedText& b) {
        spend(work_, stepsOfBytes(std::min(a.size(), b.size())));
    }
    bool equalPlain(const Value& a, const Value& b) {
        if (a.isNumber() && b.isNumber() && (a.asBigInteger() || b.asBigInteger()))
            return orderedBig(a, b) == 0;
        if (a.isNumber() && b.isNumber())
            return a.isWhole() && b.isWhole() ? a.toInteger() == b.toInteger()
                                              : a.toDouble() == b.toDouble();
        if (a.isUndefined() || a.isNone()) return a.held().index() == b.held().index();
        if (a.asText() && b.asText()) spendTexts(*a.asText(), *b.asText());
        if (a.asText() && b.asText()) return a.asText()->bytes() == b.asText()->bytes();
        const auto* left = std::get_if<Value::NamespacePtr>(&a.held());
        const auto* right = std::get_if<Value::NamespacePtr>(&b.held());
        return left && right && *left == *right;
    }
    Result<bool> equalLists(const List& a, const List& b) {
        if (a.size() != b.size()) return false;
        for (std::size_t i = 0; i < a.size(); ++i) {
            LACUNA_TRY(const bool same, equal(a[i], b[i]));
            if (!same) return false;
        }
        return true;
    }
    Result<bool> equalDicts(const Dict& a, const Dict& b) {
        if (a.size() != b.size()) return false;
        for (const DictEntry& entry : a.entries()) {
            spend(work_, stepsOf(entry.key));
            const Value* other = b.find(entry.key);
            if (!other) return false;
            LACUNA_TRY(const bool same, equal(entry.value, *other));
            if (!same) return false;
        }
        return true;
    }
    Result<int> orderedLists(const List& a, const List& b) {
        for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
            LACUNA_TRY(const bool same, equal(a[i], b[i]));
            if (!same) return ordered(a[i], b[i]);
        }
        return sign(a.size(), b.size());
    }

    WorkBudget* work_;
    int compared_ = 0;
};

double doubleOf(const std::string& digits) {
    double value = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (read.ec != std::errc::result_out_of_range) return value;
    return digits.front() == '-' ? -std::numeric_limits<double>::infinity()
                                 : std::numeric_limits<double>::infinity();
}

std::string textSpelling(std::string_view key) {
    std::string out(1, 't');
    out.append(key);
    return out;
}

constexpr std::size_t kMaxKeyBytes = 1U << 20;  // limit for a tuple, because a list may contain the
                                                // same element many times

/// Returns a unique serialisation of a key; nullopt if the value cannot be a key.
std::optional<std::string> spelling(const Value& key) {
    if (const MarkedText* text = key.asText()) return textSpelling(text->bytes());
    if (key.isNone()) return "n";
    if (const std::string* digits = key.asBigInteger()) return format("i{}", *digits);
    if (key.isNumber()) {
        const double number = key.toDouble();
        const bool whole = key.isWhole() || number == static_cast<double>(key.toInteger());
        return whole ? format("i{}", key.toInteger()) : format("f{}", number);
    }
    if (!key.asList() || key.listKind() != ListKind::Tuple) return std::nullopt;
    std::string all = "(";
    for (const Value& part : *key.asList()) {
        const auto one = spelling(part);
        if (!one) return std::nullopt;
        all += format("{}:{}", one->size(), *one);
        if (all.size() > kMaxKeyBytes) return std::nullopt;
    }
    return all;
}

}  // namespace

Value Value::text(MarkedText text) {
    return Value(Held(std::make_shared<const MarkedText>(std::move(text))));
}
Value Value::markup(MarkedText text) {
    Value made = Value::text(std::move(text));
    made.markup_ = true;
    return made;
}
Value Value::list(List items, ListKind kind) {
    int below = 0;
    for (const Value& item : items) below = std::max(below, item.depth());
    Value made(Held(std::make_shared<const List>(std::move(items))));
    made.depth_ = below + 1;
    made.listKind_ = kind;
    return made;
}
Value Value::dict(Dict entries) {
    int below = 0;
    for (const DictEntry& entry : entries.entries())
        below = std::max({below, entry.key.depth(), entry.value.depth()});
    Value made(Held(std::make_shared<const Dict>(std::move(entries))));
    made.depth_ = below + 1;
    return made;
}
Value Value::loop(LoopState state) {
    const int below = state.itemDepth;
    Value made(Held(std::make_shared<const LoopState>(std::move(state))));
    made.depth_ = below + 1;
    return made;
}
Value Value::method(const Value& object, std::string_view name) {
    Value made(Held(std::make_shared<const BoundMethod>(BoundMethod{object, std::string(name)})));
    made.depth_ = object.depth() + 1;
    return made;
}

const MarkedText* Value::asText() const {
    const TextPtr* text = std::get_if<TextPtr>(&held_);
    return text ? text->get() : nullptr;
}
const List* Value::asList() const {
    const ListPtr* list = std::get_if<ListPtr>(&held_);
    return list ? list->get() : nullptr;
}
const Dict* Value::asDict() const {
    const DictPtr* dict = std::get_if<DictPtr>(&held_);
    return dict ? dict->get() : nullptr;
}

bool Value::isNumber() const {
    return isWhole() || asBigInteger() || std::holds_alternative<double>(held_);
}
bool Value::isWhole() const {
    return std::holds_alternative<bool>(held_) || std::holds_alternative<std::int64_t>(held_);
}

double Value::toDouble() const {
    if (const double* d = std::get_if<double>(&held_)) return *d;
    if (const std::string* digits = asBigInteger()) return doubleOf(*digits);
    return static_cast<double>(toInteger());
}

std::int64_t Value::toInteger() const {
    constexpr double kLimit = 9.2e18;
    if (const std::int64_t* i = asInteger()) return *i;
    if (const bool* b = std::get_if<bool>(&held_)) return *b ? 1 : 0;
    if (const double* d = std::get_if<double>(&held_))
        return *d > -kLimit && *d < kLimit ? static_cast<std::int64_t>(*d) : 0;
    return 0;
}

bool Value::truthy() const {
    if (isUndefined() || isNone()) return false;
    if (const double* d = std::get_if<double>(&held_)) return *d != 0;
    if (asBigInteger()) return true;
    if (isNumber()) return toInteger() != 0;
    if (const MarkedText* text = asText()) return !text->empty();
    if (const List* list = asList()) return listKind_ == ListKind::Stream || !list->empty();
    if (const Dict* dict = asDict()) return !dict->empty();
    return true;
}

std::string_view Value::kindName() const {
    constexpr std::string_view kNames[] = {
        "undefined value", "none",      "boolean", "integer", "float",    "string", "list",
        "dictionary",      "namespace", "loop",    "macro",   "function", "method", "integer"};
    return kNames[held_.index()];
}

const Value* Dict::find(const Value& key) const {
    const auto spelled = spelling(key);
    if (!spelled) return nullptr;
    const auto found = places_.find(*spelled);
    return found == places_.end() ? nullptr : &entries_[found->second].value;
}

const Value* Dict::find(std::string_view key) const {
    const auto found = places_.find(textSpelling(key));
    return found == places_.end() ? nullptr : &entries_[found->second].value;
}

Status Dict::set(Value key, Value value) {
    auto spelled = spelling(key);
    if (!spelled)
        return fail(ErrorCode::TplRuntime,
                    format("a {} cannot be the key of a dictionary", key.kindName()));
    place(std::move(*spelled), std::move(key), std::move(value));
    return {};
}

void Dict::set(std::string_view key, Value value) {
    place(textSpelling(key), Value::text(std::string(key)), std::move(value));
}

void Dict::place(std::string spelling, Value key, Value value) {
    const auto [found, isNew] = places_.emplace(std::move(spelling), entries_.size());
    if (isNew)
        entries_.push_back({std::move(key), std::move(value)});
    else
        entries_[found->second].value = std::move(value);
}

std::uint64_t stepsOf(const Value& value) {
    if (const MarkedText* text = value.asText()) return stepsOfBytes(text->size());
    if (const List* list = value.asList()) return 1 + list->size();
    if (const Dict* dict = value.asDict()) return 1 + dict->size();
    return 1;
}

Result<bool> equal(const Value& a, const Value& b, WorkBudget* work) {
    return Comparison(work).equal(a, b);
}

Result<int> ordered(const Value& a, const Value& b, WorkBudget* work) {
    return Comparison(work).ordered(a, b);
}

Status checkTextSize(std::size_t bytes) {
    if (bytes <= kMaxTextBytes) return {};
    return fail(ErrorCode::TplLimit,
                format("a text has {} bytes; at most {} are allowed", bytes, kMaxTextBytes));
}

Result<Value::ListPtr> elements(const Value& value, WorkBudget* work) {
    if (const auto* list = std::get_if<Value::ListPtr>(&value.held())) return *list;
    List items;
    if (value.isUndefined()) return std::make_shared<const List>();
    if (const Dict* dict = value.asDict()) {
        spend(work, dict->size());
        for (const DictEntry& entry : dict->entries()) items.push_back(entry.key);
        return std::make_shared<const List>(std::move(items));
    }
    if (const MarkedText* text = value.asText()) {
        const std::vector<ByteRange> characters = text->characters();
        if (characters.size() > kMaxCharacters)
            return fail(
                ErrorCode::TplLimit,
                format("a text has more than {} characters, too many for a list", kMaxCharacters));
        if (!spend(work, characters.size())) return std::make_shared<const List>();
        for (const ByteRange c : characters)
            items.push_back(Value::text(text->slice(c.begin, c.end)));
        return std::make_shared<const List>(std::move(items));
    }
    return fail(ErrorCode::TplRuntime, format("a {} has no elements", value.kindName()));
}

}  // namespace lacuna::jinja
