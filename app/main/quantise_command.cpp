// quantize: a model with float weights to one GGUF file of blocks.

#include <map>

#include "app/main/cli_support.h"
#include "app/main/commands.h"
#include "engine/base/string_format.h"
#include "engine/base/thread_pool.h"
#include "engine/format/quantise_model.h"
#include "engine/session/read_facts.h"
#include "engine/settings/facts.h"

namespace lacuna::cli {
namespace {

Result<QuantiseReport> quantiseOrError(const QuantiseArguments& arguments, std::stop_token stop) {
    const auto recipe = recipeFromName(arguments.type);
    if (!recipe)
        return fail(ErrorCode::InvalidArgument,
                    format("type {} is none of {}", arguments.type, recipeNames()));
    ThreadPool pool(arguments.threads > 0 ? arguments.threads : machineFacts().cores);
    ProgressLine line;
    QuantiseOptions options;
    options.recipe = *recipe;
    options.stop = std::move(stop);
    options.progress = [&](double share) {
        line.show(format("quantising to {}: {:.0f} %", recipe->name, 100 * share));
    };
    return quantiseModel(arguments.in, arguments.out, pool, options);
}

/// "154 Q4_K, 20 Q6_K, 73 F32"
std::string typeCounts(const QuantiseReport& report) {
    std::string text;
    for (const auto& [type, count] : report.tensorsByType)
        text += format("{}{} {}", text.empty() ? "" : ", ", count, info(type).name);
    return text;
}

/// One line for each pair of types, naming the first tensor it happened to.
std::string fallbackLines(const QuantiseReport& report) {
    struct Group {
        std::uint64_t count = 0;
        std::string first;
    };
    std::map<std::pair<DType, DType>, Group> groups;
    for (const auto& fallback : report.fallbacks) {
        Group& group = groups[{fallback.wanted, fallback.stored}];
        if (group.count++ == 0) group.first = fallback.tensor;
    }
    std::string text;
    for (const auto& [types, group] : groups)
        text += format(
            "{} matrices are {} instead of {}, whose blocks of {} their rows do not fill "
            "({}{})\n",
            group.count, info(types.second).name, info(types.first).name,
            info(types.first).blockLength, group.first, group.count > 1 ? ", ..." : "");
    return text;
}

}  // namespace

int quantise(const QuantiseArguments& arguments) {
    const Interrupts interrupts;
    const auto written = quantiseOrError(arguments, interrupts.token());
    if (!written) return report(written.error());
    return printPage(
        format("{}: {} tensors ({}), {:.1f} MiB from {:.1f} MiB\n{}", arguments.out,
               written->tensors, typeCounts(*written), static_cast<double>(written->bytes) / 0x1p20,
               static_cast<double>(written->sourceBytes) / 0x1p20, fallbackLines(*written)));
}

}  // namespace lacuna::cli
