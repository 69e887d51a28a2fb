#include "engine/text/jinja_interpreter.h"

#include <algorithm>
#include <array>

#include "engine/base/string_format.h"
#include "engine/text/date_text.h"
#include "engine/text/jinja_calls.h"

// A tree walker. Variables live in frames: the first holds the template's own, each loop round adds
// one, and a macro sees the first frame and those it adds itself. Assignments go to the newest frame,
// so a loop cannot change what stands outside it except through a namespace, as in Jinja.

namespace lacuna::jinja {
namespace {

constexpr std::int64_t kMaxSteps = 1'000'000;   // statements, loop rounds and calls
constexpr std::int64_t kMaxNodes = 10'000'000;  // expressions
constexpr std::size_t kMaxBytesMade = 256U << 20;
constexpr int kMaxMacroDepth = 64;
constexpr int kMaxDepth = 1200;
constexpr int kMaxValueDepth = 64;
constexpr std::int64_t kMaxRange = 100'000;

enum class Flow { Next, Break, Continue };

using Kind = Expr::Kind;
using Frame = std::map<std::string, Value>;

class Interpreter {
 public:
    explicit Interpreter(const RunInput& input) : input_(input) {
        frames_.push_back(input.globals);
        Frame& globals = frames_.front();
        globals["range"] = Value(Builtin::MakeRange);
        globals["namespace"] = Value(Builtin::MakeNamespace);
        globals["dict"] = Value(Builtin::MakeDict);
        globals["raise_exception"] = Value(Builtin::RaiseException);
        globals["strftime_now"] = Value(Builtin::StrftimeNow);
    }
    Interpreter(const Interpreter&) = delete;
    Interpreter& operator=(const Interpreter&) = delete;
    // A namespace may hold another, or itself: emptied one by one, they free each other flatly.
    ~Interpreter() {
        for (const Value::NamespacePtr& space : namespaces_) space->clear();
    }

    Result<MarkedText> run(const Block& program) {
        LACUNA_TRY(const Flow flow, execBlock(program));
        static_cast<void>(flow);
        return std::move(out_);
    }

 private:
    // --- limits and places ---
    static tl::unexpected<Error> placed(Error error, Place place) {
        return tl::unexpected<Error>(withPrefix(std::move(error), describe(place)));
    }
    static tl::unexpected<Error> failAt(Place place, ErrorCode code, std::string what) {
        return fail(code, format("{}: {}", describe(place), what));
    }
    template <class T>
    static Result<T> at(Place place, Result<T> result) {
        if (result) return result;
        return placed(std::move(result).error(), place);
    }
    Status step(Place place) {
        if (++steps_ <= kMaxSteps) return {};
        return failAt(place, ErrorCode::TplLimit,
                      format("the template takes more than {} steps", kMaxSteps));
    }
    Status countMade(Place place, const Value& value) {
        if (value.depth() > kMaxValueDepth)
            return failAt(place, ErrorCode::TplLimit,
                          format("lists nested deeper than {}", kMaxValueDepth));
        if (const MarkedText* text = value.asText()) made_ += text->size();
        if (const List* list = value.asList()) made_ += list->size() * sizeof(Value);
        if (const Dict* dict = value.asDict()) made_ += dict->size() * sizeof(DictEntry);
        if (made_ <= kMaxBytesMade) return {};
        return failAt(place, ErrorCode::TplLimit, "the template builds more text than 256 MiB");
    }
    Status write(Place place, const MarkedText& text) {
        out_.append(text);
        auto size = checkTextSize(out_.size());
        if (size) return {};
        return placed(std::move(size).error(), place);
    }
    class Depth {
     public:
        explicit Depth(int& depth) : depth_(depth) { ++depth_; }
        Depth(const Depth&) = delete;
        Depth& operator=(const Depth&) = delete;
        ~Depth() { --depth_; }

     private:
        int& depth_;
    };
    Status checkDepth(Place place) const {
        if (depth_ <= kMaxDepth) return {};
        return failAt(place, ErrorCode::TplLimit, "the template is nested too deep while it runs");
    }

    // --- variables ---
    Frame& newest() { return frames_.back(); }
    Value lookUp(const std::string& name) const {
        for (std::size_t i = frames_.size(); i-- > macroBase_;)
            if (const auto found = frames_[i].find(name); found != frames_[i].end())
                return found->second;
        const auto global = frames_.front().find(name);
        return global == frames_.front().end() ? Value::undefined(name) : global->second;
    }
    Status assign(const Statement& s, const std::vector<std::string>& names, Value value) {
        if (names.size() == 1) {
            newest()[names[0]] = std::move(value);
            return {};
        }
        LACUNA_TRY(const Value::ListPtr parts, at(s.place, elements(value)));
        if (parts->size() != names.size())
            return failAt(s.place, ErrorCode::TplRuntime,
                          format("{} values for {} variables", parts->size(), names.size()));
        for (std::size_t i = 0; i < names.size(); ++i) newest()[names[i]] = (*parts)[i];
        return {};
    }

    // --- statements ---
    Result<Flow> execBlock(const Block& block) {
        const Depth depth(depth_);
        for (const Statement& statement : block) {
            LACUNA_TRY_STATUS(checkDepth(statement.place));
            LACUNA_TRY_STATUS(step(statement.place));
            LACUNA_TRY(const Flow flow, exec(statement));
            if (flow != Flow::Next) return flow;
        }
        return Flow::Next;
    }

    Result<Flow> exec(const Statement& s) {
        switch (s.kind) {
            case Statement::Kind::Data:
                LACUNA_TRY_STATUS(write(s.place, MarkedText(s.text)));
                return Flow::Next;
            case Statement::Kind::Output: {
                LACUNA_TRY(const Value value, eval(*s.value));
                LACUNA_TRY(const MarkedText text, at(s.place, toText(value)));
                LACUNA_TRY_STATUS(write(s.place, text));
                return Flow::Next;
            }
            case Statement::Kind::If:
                return execIf(s);
            case Statement::Kind::For:
                return execFor(s);
            case Statement::Kind::Set:
                LACUNA_TRY_STATUS(execSet(s));
                return Flow::Next;
            case Statement::Kind::SetBlock: {
                LACUNA_TRY(MarkedText text, captured(s.body));
                LACUNA_TRY_STATUS(assign(s, s.targets, Value::text(std::move(text))));
                return Flow::Next;
            }
            case Statement::Kind::Macro:
                newest()[s.text] = Value(Value::Held(&s));
                return Flow::Next;
            case Statement::Kind::Group:
                return execBlock(s.body);
            case Statement::Kind::Break:
                return Flow::Break;
            case Statement::Kind::Continue:
                return Flow::Continue;
        }
        return Flow::Next;
    }

    Result<Flow> execIf(const Statement& s) {
        for (const Branch& branch : s.branches) {
            if (branch.condition) {
                LACUNA_TRY(const Value condition, eval(*branch.condition));
                if (!condition.truthy()) continue;
            }
            return execBlock(branch.body);
        }
        return Flow::Next;
    }

    /// The elements a loop walks: those that pass its condition.
    Result<Value::ListPtr> loopItems(const Statement& s) {
        LACUNA_TRY(const Value iterated, eval(*s.value));
        LACUNA_TRY(const Value::ListPtr all, at(s.place, elements(iterated)));
        if (!s.condition) return all;
        List kept;
        for (const Value& item : *all) {
            LACUNA_TRY_STATUS(step(s.place));
            frames_.emplace_back();
            auto assigned = assign(s, s.targets, item);
            auto passes = assigned ? eval(*s.condition)
                                   : Result<Value>(tl::unexpected<Error>(assigned.error()));
            frames_.pop_back();
            LACUNA_TRY(const Value yes, std::move(passes));
            if (yes.truthy()) kept.push_back(item);
        }
        return std::make_shared<const List>(std::move(kept));
    }

    Result<Flow> execFor(const Statement& s) {
        LACUNA_TRY(const Value::ListPtr items, loopItems(s));
        if (items->empty()) return execBlock(s.otherwise);
        int itemDepth = 0;
        for (const Value& item : *items) itemDepth = std::max(itemDepth, item.depth());
        ++loopDepth_;
        Result<Flow> flow = Flow::Next;
        for (std::size_t i = 0; i < items->size() && flow && *flow != Flow::Break; ++i) {
            frames_.emplace_back();
            flow = loopRound(s, {items, i, loopDepth_, itemDepth});
            frames_.pop_back();
        }
        --loopDepth_;
        if (!flow) return flow;
        return Flow::Next;
    }
    Result<Flow> loopRound(const Statement& s, LoopState state) {
        LACUNA_TRY_STATUS(step(s.place));
        const Value item = (*state.items)[state.index];
        newest()["loop"] = Value::loop(std::move(state));
        LACUNA_TRY_STATUS(assign(s, s.targets, item));
        return execBlock(s.body);
    }

    Status execSet(const Statement& s) {
        LACUNA_TRY(Value value, eval(*s.value));
        if (s.attribute.empty()) return assign(s, s.targets, std::move(value));
        const Value target = lookUp(s.targets[0]);
        const auto* space = std::get_if<Value::NamespacePtr>(&target.held());
        if (!space)
            return failAt(s.place, ErrorCode::TplRuntime,
                          format("\"{}\" is a {}; only a namespace takes attributes", s.targets[0],
                                 target.kindName()));
        (**space)[s.attribute] = std::move(value);
        return {};
    }

    /// What a block writes, instead of writing it.
    Result<MarkedText> captured(const Block& body) {
        MarkedText outer = std::move(out_);
        out_ = MarkedText();
        auto flow = execBlock(body);
        MarkedText text = std::move(out_);
        out_ = std::move(outer);
        if (!flow) return tl::unexpected<Error>(std::move(flow).error());
        return text;
    }

    // --- expressions ---
    Result<Value> eval(const Expr& e) {
        const Depth depth(depth_);
        LACUNA_TRY_STATUS(checkDepth(e.place));
        if (++nodes_ > kMaxNodes)
            return failAt(e.place, ErrorCode::TplLimit,
                          format("the template evaluates more than {} values", kMaxNodes));
        LACUNA_TRY(Value value, evalKind(e));
        const bool copied = e.kind == Kind::Name || e.kind == Kind::Attribute ||
                            e.kind == Kind::Conditional || e.kind == Kind::Or;
        if (!copied) LACUNA_TRY_STATUS(countMade(e.place, value));
        return value;
    }

    Result<Value> evalKind(const Expr& e) {
        switch (e.kind) {
            case Kind::Constant:
                return constant(e.constant);
            case Kind::Name:
                return lookUp(e.name);
            case Kind::List:
                return evalList(e);
            case Kind::Dict:
                return evalDict(e);
            case Kind::Attribute: {
                LACUNA_TRY(const Value object, eval(*e.parts[0]));
                return at(e.place, attributeOf(object, e.name));
            }
            case Kind::Subscript: {
                LACUNA_TRY(const Value object, eval(*e.parts[0]));
                LACUNA_TRY(const Value key, eval(*e.parts[1]));
                return at(e.place, elementOf(object, key));
            }
            case Kind::Slice:
                return evalSlice(e);
            case Kind::Call:
                return evalCall(e);
            case Kind::Filter: {
                LACUNA_TRY_STATUS(step(e.place));
                LACUNA_TRY(const Value input, eval(*e.parts[0]));
                LACUNA_TRY(const CallArgs args, evalArgs(e));
                return at(e.place, applyFilter(e.name, input, args));
            }
            case Kind::Test: {
                LACUNA_TRY(const Value input, eval(*e.parts[0]));
                LACUNA_TRY(const CallArgs args, evalArgs(e));
                LACUNA_TRY(const bool passes, at(e.place, applyTest(e.name, input, args)));
                return Value::boolean(passes);
            }
            case Kind::Negate:
            case Kind::Plus: {
                LACUNA_TRY(const Value value, eval(*e.parts[0]));
                const Value sign = Value::integer(e.kind == Kind::Plus ? 1 : -1);
                if (!value.isNumber())
                    return failAt(e.place, ErrorCode::TplRuntime,
                                  format("a sign before a {}", value.kindName()));
                return at(e.place, applyBinary(BinaryOp::Multiply, value, sign));
            }
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
                return at(e.place, applyBinary(e.binary, a, b));
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

    static Value constant(const Literal& literal) {
        if (const bool* b = std::get_if<bool>(&literal)) return Value::boolean(*b);
        if (const auto* i = std::get_if<std::int64_t>(&literal)) return Value::integer(*i);
        if (const double* d = std::get_if<double>(&literal)) return Value::number(*d);
        if (const auto* text = std::get_if<std::string>(&literal)) return Value::text(*text);
        return Value();
    }

    Result<Value> evalList(const Expr& e) {
        List items;
        for (const ExprPtr& part : e.parts) {
            LACUNA_TRY(Value item, eval(*part));
            items.push_back(std::move(item));
        }
        return Value::list(std::move(items));
    }

    Result<Value> evalDict(const Expr& e) {
        Dict entries;
        for (std::size_t i = 0; i + 1 < e.parts.size(); i += 2) {
            LACUNA_TRY(const Value key, eval(*e.parts[i]));
            LACUNA_TRY(Value value, eval(*e.parts[i + 1]));
            if (!key.asText())
                return failAt(e.parts[i]->place, ErrorCode::TplUnsupported,
                              format("a {} as the key of a dictionary is not built here",
                                     key.kindName()));
            const auto same =
                std::find_if(entries.begin(), entries.end(), [&](const DictEntry& entry) {
                    return entry.key.bytes() == key.asText()->bytes();
                });
            if (same == entries.end()) entries.push_back({*key.asText(), std::move(value)});
            else same->value = std::move(value);
        }
        return Value::dict(std::move(entries));
    }

    Result<Value> evalSlice(const Expr& e) {
        LACUNA_TRY(const Value object, eval(*e.parts[0]));
        std::array<std::optional<std::int64_t>, 3> bounds;
        for (std::size_t i = 0; i < bounds.size(); ++i) {
            if (!e.parts[i + 1]) continue;
            LACUNA_TRY(const Value bound, eval(*e.parts[i + 1]));
            if (bound.isNone()) continue;
            if (!bound.asInteger())
                return failAt(e.place, ErrorCode::TplRuntime,
                              format("a slice bound is a {}; expected an integer",
                                     bound.kindName()));
            bounds[i] = *bound.asInteger();
        }
        return at(e.place, sliceOf(object, {bounds[0], bounds[1], bounds[2].value_or(1)}));
    }

    Result<Value> evalLogic(const Expr& e) {
        Value last;
        for (const ExprPtr& part : e.parts) {
            LACUNA_TRY(last, eval(*part));
            if (last.truthy() == (e.kind == Kind::Or)) break;
        }
        return last;
    }

    Result<Value> evalCompare(const Expr& e) {
        LACUNA_TRY(Value left, eval(*e.parts[0]));
        for (std::size_t i = 0; i < e.compares.size(); ++i) {
            LACUNA_TRY(Value right, eval(*e.parts[i + 1]));
            LACUNA_TRY(const bool holds, at(e.place, applyCompare(e.compares[i], left, right)));
            if (!holds) return Value::boolean(false);
            left = std::move(right);
        }
        return Value::boolean(true);
    }

    Result<Value> evalConcat(const Expr& e) {
        MarkedText text;
        for (const ExprPtr& part : e.parts) {
            LACUNA_TRY(const Value value, eval(*part));
            LACUNA_TRY(const MarkedText more, at(part->place, toText(value)));
            text.append(more);
            auto size = checkTextSize(text.size());
            if (!size) return placed(std::move(size).error(), e.place);
        }
        return Value::text(std::move(text));
    }

    // --- calls ---
    Result<CallArgs> evalArgs(const Expr& e) {
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

    Result<Value> evalCall(const Expr& e) {
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

    Result<Value> callOn(const Value& object, const Expr& callee, const CallArgs& args) {
        if (const auto* loop = std::get_if<Value::LoopPtr>(&object.held()))
            if (callee.name == "cycle" && !args.positional.empty())
                return args.positional[(*loop)->index % args.positional.size()];
        return callMethod(object, callee.name, args);
    }

    Result<Value> callValue(const Value& function, const Expr& callee, const CallArgs& args) {
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

    Result<Value> callBuiltin(Builtin builtin, const CallArgs& args) {
        switch (builtin) {
            case Builtin::MakeRange:
                return makeRange(args);
            case Builtin::MakeNamespace: {
                auto space = std::make_shared<Namespace>();
                if (!args.positional.empty())
                    if (const Dict* dict = args.positional[0].asDict())
                        for (const DictEntry& entry : *dict)
                            (*space)[entry.key.bytes()] = entry.value;
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
                return fail(ErrorCode::TplRefused,
                            format("the model's template refuses these messages: \"{}\"",
                                   text.bytes()));
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

    static Result<Value> makeRange(const CallArgs& args) {
        std::array<std::int64_t, 3> numbers = {0, 0, 1};
        if (args.positional.empty() || args.positional.size() > 3)
            return fail(ErrorCode::TplRuntime, "range needs one to three numbers");
        for (std::size_t i = 0; i < args.positional.size(); ++i) {
            if (!args.positional[i].asInteger())
                return fail(ErrorCode::TplRuntime, format("range of a {}; expected integers",
                                                          args.positional[i].kindName()));
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

    Result<Value> callMacro(const Statement& macro, Place place, const CallArgs& args) {
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
    Result<MarkedText> macroBody(const Statement& macro, Place place, const CallArgs& args) {
        for (const auto& [name, value] : args.named) {
            const bool known =
                std::any_of(macro.parameters.begin(), macro.parameters.end(),
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

    const RunInput& input_;
    std::vector<Frame> frames_;
    std::vector<Value::NamespacePtr> namespaces_;
    MarkedText out_;
    std::size_t macroBase_ = 0;  // frames below belong to the macro's caller
    std::int64_t steps_ = 0;
    std::int64_t nodes_ = 0;
    std::size_t made_ = 0;
    int depth_ = 0;
    int macros_ = 0;
    int loopDepth_ = 0;
};

}  // namespace

Result<MarkedText> run(const Block& program, const RunInput& input) {
    return Interpreter(input).run(program);
}

}  // namespace lacuna::jinja
