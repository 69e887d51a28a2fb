// sweep: methods and sizes measured against the uncompressed cache on a conversation of the user.

#include <utility>
#include <vector>

#include "app/main/cli_support.h"
#include "app/main/commands.h"
#include "app/main/grid_job.h"
#include "app/main/measuring_input.h"
#include "engine/base/string_format.h"
#include "engine/quality/grid_items.h"

namespace lacuna::cli {
namespace {

constexpr const char* kSweepName = "sweep";  // stem of the output files

Result<std::vector<ChatMessage>> sweepMessages(const SweepArguments& a) {
    if (a.messages.empty() == a.report.empty())
        return fail(ErrorCode::InvalidArgument, "use --messages FILE or --report FILE");
    return a.report.empty() ? messagesFromFile(a.messages) : messagesFromReport(a.report);
}

Result<int> sweepOrError(const SweepArguments& a, std::stop_token stop) {
    LACUNA_TRY_STATUS(checkOutputs({.outputs = gridFiles(a.grid.out, kSweepName),
                                    .models = {a.grid.model},
                                    .inputs = {a.messages, a.report}}));
    LACUNA_TRY(const std::vector<ChatMessage> messages, sweepMessages(a));
    LACUNA_TRY(PreparedGrid prepared, prepareGrid(a.grid, stop));
    LACUNA_TRY(auto made, conversationItems(*prepared.model.loaded, messages, {}));
    if (made.left > 0)
        note(format(
            "{} answers are skipped: nothing precedes their question, or they exceed the context",
            made.left));
    prepared.job.name = kSweepName;
    prepared.job.title =
        format("{}: {} answers of a conversation", prepared.model.facts.name, made.items.size());
    prepared.job.items = std::move(made.items);
    return runGridJob(prepared.model, prepared.job);
}

}  // namespace

int sweep(const SweepArguments& arguments) {
    const Interrupts interrupts;
    const auto outcome = sweepOrError(arguments, interrupts.token());
    return outcome ? *outcome : report(outcome.error());
}

}  // namespace lacuna::cli
