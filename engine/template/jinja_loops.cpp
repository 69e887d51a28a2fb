#include <algorithm>

#include "engine/template/jinja_evaluator.h"

// Loops: each round in a frame of its own, with the variable `loop`.

namespace lacuna::jinja {

Result<Value::ListPtr> Evaluator::loopItems(const Statement& s, const Value& iterated,
                                            std::size_t parent) {
    LACUNA_TRY(const Value::ListPtr all, at(s.place, elements(iterated, &work_)));
    if (!s.condition) return all;
    List kept;
    for (const Value& item : *all) {
        LACUNA_TRY_STATUS(step(s.place));
        const Scope scope(*this, parent);
        LACUNA_TRY_STATUS(assign(s.place, s.target, item));
        LACUNA_TRY(const Value passes, eval(*s.condition));
        if (passes.truthy()) kept.push_back(item);
    }
    return std::make_shared<const List>(std::move(kept));
}

Result<Flow> Evaluator::execFor(const Statement& s) {
    LACUNA_TRY(const Value iterated, eval(*s.value));
    LACUNA_TRY(Value::ListPtr items, loopItems(s, iterated, top()));
    return runLoop(s, {std::move(items), 1, here()});
}

Result<Flow> Evaluator::runLoop(const Statement& s, LoopRun run) {
    if (run.items->empty()) {
        const Scope scope(*this, run.around.index);
        return execBlock(s.otherwise);
    }
    LoopState state{.items = run.items,
                    .depth = run.depth,
                    .id = ++lastId_,
                    .recursive = s.recursive ? &s : nullptr,
                    .frame = run.around};
    work_.spend(run.items->size());
    for (const Value& item : *run.items) state.itemDepth = std::max(state.itemDepth, item.depth());
    for (; state.index < run.items->size(); ++state.index) {
        const Scope scope(*this, run.around.index);
        LACUNA_TRY(const Flow flow, loopRound(s, state));
        if (flow == Flow::Break) break;
    }
    lastChanged_.erase(state.id);
    return Flow::Next;
}

Result<Flow> Evaluator::loopRound(const Statement& s, LoopState state) {
    LACUNA_TRY_STATUS(step(s.place));
    const Value item = (*state.items)[state.index];
    newest()["loop"] = Value::loop(std::move(state));
    LACUNA_TRY_STATUS(assign(s.place, s.target, item));
    return execBlock(s.body);
}

/// `loop(children)` in a recursive loop: what the loop writes for them.
Result<Value> Evaluator::callLoop(const LoopState& loop, Place place, const CallArgs& args) {
    if (!loop.recursive)
        return failAt(place, ErrorCode::TplRuntime,
                      "the loop cannot be called; it is not marked recursive");
    if (args.positional.size() != 1 || !args.named.empty())
        return failAt(place, ErrorCode::TplRuntime, "loop() takes one list");
    LACUNA_TRY_STATUS(checkFrame(loop.frame, place));
    if (macros_ >= kMaxMacroDepth)
        return failAt(place, ErrorCode::TplLimit,
                      format("loops call each other deeper than {}", kMaxMacroDepth));
    LACUNA_TRY(Value::ListPtr items,
               loopItems(*loop.recursive, args.positional[0], loop.frame.index));
    ++macros_;
    MarkedText outer = std::move(out_);
    out_ = MarkedText();
    auto flow = runLoop(*loop.recursive, {std::move(items), loop.depth + 1, loop.frame});
    MarkedText text = std::move(out_);
    out_ = std::move(outer);
    --macros_;
    if (!flow) return tl::unexpected<Error>(std::move(flow).error());
    return Value::text(std::move(text));
}

Result<Value> Evaluator::loopMethod(const LoopState& loop, std::string_view name,
                                    const CallArgs& args) {
    if (name == "cycle") {
        if (args.positional.empty())
            return fail(ErrorCode::TplRuntime, "loop.cycle needs something to choose from");
        return args.positional[loop.index % args.positional.size()];
    }
    work_.spend(args.steps());
    const auto last = lastChanged_.find(loop.id);
    if (last != lastChanged_.end()) {
        LACUNA_TRY(const bool same,
                   equal(Value::list(last->second), Value::list(args.positional), &work_));
        if (same) return Value::boolean(false);
    }
    lastChanged_[loop.id] = args.positional;
    return Value::boolean(true);
}

}  // namespace lacuna::jinja
