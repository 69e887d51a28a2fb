#pragma once
/// \file
/// Tree walker behind run() of jinja_interpreter.h; used by no other file. Variables live in frames
/// linked by scope: a loop round or block is nested in the newest frame, a macro in the frame of
/// its definition. Assignments go to the newest frame, so a loop can change outer state only
/// through a namespace, as in Jinja. Owned by one thread.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/base/string_format.h"
#include "engine/template/jinja_calls.h"
#include "engine/template/jinja_interpreter.h"

namespace lacuna::jinja {

enum class Flow { Next, Break, Continue };

class Evaluator {
  public:
    static constexpr std::int64_t kMaxSteps = 1'000'000;   ///< statements, loop rounds and calls
    static constexpr std::int64_t kMaxNodes = 10'000'000;  ///< expressions
    static constexpr std::size_t kMaxBytesMade = 256U << 20;
    /// Elements and characters walked by filters, tests, operators and methods: some seconds of
    /// work. Ten thousand turns in a template that takes every message apart need half of it.
    static constexpr std::uint64_t kMaxWalked = 200'000'000;
    static constexpr int kMaxMacroDepth = 64;
    static constexpr int kMaxDepth = 1200;  ///< nested calls between functions of this class
    static constexpr int kMaxValueDepth = 64;

    explicit Evaluator(const RunInput& input) : input_(input), work_(kMaxWalked, input.stop) {
        frames_.push_back({.variables = input.globals});
        auto& globals = frames_.front().variables;
        globals["range"] = Value(Builtin::MakeRange);
        globals["namespace"] = Value(Builtin::MakeNamespace);
        globals["dict"] = Value(Builtin::MakeDict);
        globals["raise_exception"] = Value(Builtin::RaiseException);
        globals["strftime_now"] = Value(Builtin::StrftimeNow);
    }
    Evaluator(const Evaluator&) = delete;
    Evaluator& operator=(const Evaluator&) = delete;
    // A namespace may contain another or itself; clearing them one by one avoids deep recursion and
    // cycles.
    ~Evaluator() {
        for (const Value::NamespacePtr& space : namespaces_) space->clear();
    }

    [[nodiscard]] Result<MarkedText> run(const Block& program) {
        LACUNA_TRY(const Flow flow, execBlock(program));
        static_cast<void>(flow);
        return std::move(out_);
    }

  private:
    struct Frame {
        std::map<std::string, Value> variables;
        std::size_t parent = 0;  ///< index of the enclosing frame; the first frame refers to itself
        std::uint64_t id = 0;
    };

    // --- limits and positions ---
    [[nodiscard]] static tl::unexpected<Error> placed(Error error, Place place) {
        return tl::unexpected<Error>(withPrefix(std::move(error), describe(place)));
    }
    [[nodiscard]] static tl::unexpected<Error> failAt(Place place, ErrorCode code,
                                                      std::string what) {
        return fail(code, format("{}: {}", describe(place), what));
    }
    template <class T>
    [[nodiscard]] static Result<T> at(Place place, Result<T> result) {
        if (result) return result;
        return placed(std::move(result).error(), place);
    }
    [[nodiscard]] Status step(Place place) {
        work_.spend();
        if (++steps_ <= kMaxSteps) return checkWork(place);
        return failAt(place, ErrorCode::TplLimit,
                      format("the template takes more than {} steps", kMaxSteps));
    }
    [[nodiscard]] Status checkWork(Place place) const {
        if (!work_.over()) return {};
        return placed(work_
                          .status(ErrorCode::TplLimit,
                                  format("the template reads more than {} elements and characters",
                                         kMaxWalked))
                          .error(),
                      place);
    }
    [[nodiscard]] Status countMade(Place place, const Value& value);
    [[nodiscard]] Status write(Place place, const MarkedText& text);
    class Depth {
      public:
        explicit Depth(int& depth) : depth_(depth) { ++depth_; }
        Depth(const Depth&) = delete;
        Depth& operator=(const Depth&) = delete;
        ~Depth() { --depth_; }

      private:
        int& depth_;
    };
    [[nodiscard]] Status checkDepth(Place place) const {
        if (depth_ <= kMaxDepth) return {};
        return failAt(place, ErrorCode::TplLimit, "the template nests too deeply while it runs");
    }

    // --- variables ---
    /// RAII guard that creates and removes a frame.
    class Scope {
      public:
        Scope(Evaluator& evaluator, std::size_t parent) : frames_(evaluator.frames_) {
            frames_.push_back({.variables = {}, .parent = parent, .id = ++evaluator.lastId_});
        }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;
        ~Scope() { frames_.pop_back(); }

      private:
        std::vector<Frame>& frames_;
    };
    [[nodiscard]] std::size_t top() const { return frames_.size() - 1; }
    [[nodiscard]] FrameRef here() const { return {top(), frames_.back().id}; }
    /// Errors: TplRuntime if the frame no longer exists.
    [[nodiscard]] Status checkFrame(FrameRef frame, Place place) const;
    [[nodiscard]] auto& newest() { return frames_.back().variables; }
    [[nodiscard]] Value lookUp(const std::string& name);
    [[nodiscard]] Status assign(Place place, const Target& target, Value value);
    /// Assigns to the statement's target or to the namespace attribute it names.
    [[nodiscard]] Status assignTo(const Statement& s, Value value);

    // --- statements ---
    [[nodiscard]] Result<Flow> execBlock(const Block& block);
    [[nodiscard]] Result<Flow> exec(const Statement& s);
    [[nodiscard]] Status execPlain(const Statement& s);
    [[nodiscard]] Result<Flow> execIf(const Statement& s);
    [[nodiscard]] Result<Flow> execWith(const Statement& s);
    [[nodiscard]] Status execSetBlock(const Statement& s);
    /// Applies the filters of a statement to the output of its body.
    [[nodiscard]] Result<Value> filteredBody(const Statement& s);
    /// Executes a block and returns its output instead of writing it.
    [[nodiscard]] Result<MarkedText> captured(const Block& body);

    // --- loops ---
    struct LoopRun {
        Value::ListPtr items;
        int depth = 1;
        FrameRef around;
    };
    /// Returns the elements that a loop iterates over: those that satisfy its condition.
    [[nodiscard]] Result<Value::ListPtr> loopItems(const Statement& s, const Value& iterated,
                                                   std::size_t parent);
    [[nodiscard]] Result<Flow> execFor(const Statement& s);
    [[nodiscard]] Result<Flow> runLoop(const Statement& s, LoopRun run);
    [[nodiscard]] Result<Flow> loopRound(const Statement& s, LoopState state);
    [[nodiscard]] Result<Value> callLoop(const LoopState& loop, Place place, const CallArgs& args);
    [[nodiscard]] Result<Value> loopMethod(const LoopState& loop, std::string_view name,
                                           const CallArgs& args);

    // --- expressions ---
    [[nodiscard]] Result<Value> eval(const Expr& e);
    [[nodiscard]] Result<Value> evalKind(const Expr& e);
    [[nodiscard]] Result<Value> evalAccess(const Expr& e);
    [[nodiscard]] Result<Value> evalApplied(const Expr& e);
    [[nodiscard]] Result<Value> evalSign(const Expr& e);
    [[nodiscard]] static Value constant(const Literal& literal);
    [[nodiscard]] Result<Value> evalList(const Expr& e);
    [[nodiscard]] Result<Value> evalDict(const Expr& e);
    [[nodiscard]] Result<Value> evalSlice(const Expr& e);
    [[nodiscard]] Result<Value> evalLogic(const Expr& e);
    [[nodiscard]] Result<Value> evalCompare(const Expr& e);
    [[nodiscard]] Result<Value> evalConcat(const Expr& e);

    // --- calls ---
    [[nodiscard]] Result<CallArgs> evalArgs(const Expr& e);
    [[nodiscard]] Status spreadArgs(const Expr& e, CallArgs& args);
    [[nodiscard]] Result<Value> evalCall(const Expr& e);
    [[nodiscard]] Result<Value> callValue(const Value& function, const Expr& callee,
                                          const CallArgs& args);
    [[nodiscard]] Result<Value> callBuiltin(Builtin builtin, const CallArgs& args);
    [[nodiscard]] Result<Value> callMacro(const MacroRef& macro, Place place, const CallArgs& args);
    [[nodiscard]] Status bindArguments(const Statement& macro, Place place, const CallArgs& args);
    [[nodiscard]] Status bindRest(const Statement& macro, Place place, const CallArgs& args);
    [[nodiscard]] Status execCallBlock(const Statement& s);

    const RunInput& input_;
    std::vector<Frame> frames_;
    std::uint64_t lastId_ = 0;  // last id of a frame or loop
    std::vector<Value::NamespacePtr> namespaces_;
    std::vector<Value> bodies_;                  // outputs of the enclosing filter blocks
    std::map<std::uint64_t, List> lastChanged_;  // arguments of loop.changed, by loop
    MarkedText out_;
    WorkBudget work_;
    std::int64_t steps_ = 0;
    std::int64_t nodes_ = 0;
    std::size_t made_ = 0;
    int depth_ = 0;
    int macros_ = 0;
};

}  // namespace lacuna::jinja
