// Commands on model files: convert, inspect, quantize, cut-layers.

#include <cstdio>
#include <map>

#include "app/main/cli_support.h"
#include "app/main/commands.h"
#include "engine/base/string_format.h"
#include "engine/base/thread_pool.h"
#include "engine/format/convert.h"
#include "engine/format/cut_layers.h"
#include "engine/format/quantise_model.h"
#include "engine/format/tensor_rows.h"
#include "engine/session/jobs/automatic_precision.h"
#include "engine/session/model_page.h"
#include "engine/session/read_facts.h"
#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"

namespace lacuna::cli {

// convert: a Hugging Face folder to one GGUF file.

namespace {

Result<ConvertReport> convertOrError(const std::string& folder, const std::string& out,
                                     const std::string& type, std::stop_token stop) {
    const auto wanted = dtypeFromName(type);
    if (!wanted || (!isPlainFloat(*wanted) && *wanted != DType::Q8_0))
        return fail(ErrorCode::InvalidArgument,
                    format("unknown type {}; allowed are q8_0, f16, bf16 and f32", type));
    ProgressLine line;
    ConvertOptions options;
    options.type = *wanted;
    options.progress = [&](double share) {
        line.show(format("converting: {:.0f} %", 100 * share));
    };
    options.stop = stop;
    return convertToGguf(folder, out, options);
}

}  // namespace

int convert(const std::string& folder, const std::string& out, const std::string& type) {
    const Interrupts interrupts;
    const auto written = convertOrError(folder, out, type, interrupts.token());
    if (!written) return report(written.error());
    return printPage(format(
        "{}: {} tensors, {:.1f} MiB{}\n", out, written->tensors,
        static_cast<double>(written->bytes) / 0x1p20,
        written->keptWider == 0
            ? std::string()
            : format(
                  ", {} matrices stay F16 because their rows are not a multiple of the block size",
                  written->keptWider)));
}

// inspect: describes a model file or writes rows of a tensor.

namespace {

int writeRows(const InspectArguments& arguments) {
    if (arguments.out.empty())
        return report(
            fail(ErrorCode::InvalidArgument, "--tensor needs --out FILE.npy for the rows").value());
    if (const Status checked =
            checkOutputs({.outputs = {arguments.out}, .models = {arguments.file}, .inputs = {}});
        !checked)
        return report(checked.error());
    const auto rows = readTensorRows(arguments.file, arguments.tensor, arguments.rows);
    if (!rows) return report(rows.error());
    if (const Status written = writeNpy(arguments.out, rows->values, rows->rows, rows->columns);
        !written)
        return report(written.error());
    return printPage(
        format("{}: {} rows of {} float32 values\n", arguments.out, rows->rows, rows->columns));
}

}  // namespace

int inspect(const InspectArguments& arguments) {
    if (!arguments.tensor.empty()) return writeRows(arguments);
    const auto config = greedySettings(arguments.settings);
    if (!config) return report(config.error());
    const auto inspection =
        inspectModel(arguments.file, machineFacts(), *config, measurementsFolder());
    if (!inspection) return report(inspection.error());
    return arguments.json ? printJson(*inspection)
                          : printPage(pageText(modelPage(arguments.file, *inspection)));
}

// quantize: converts a model with float weights to one GGUF file of quantised blocks.

namespace {

Result<QuantiseReport> quantiseOrError(const QuantiseArguments& arguments, std::stop_token stop) {
    const auto recipe = recipeFromName(arguments.type);
    if (!recipe)
        return fail(ErrorCode::InvalidArgument,
                    format("unknown type {}; allowed are {}", arguments.type, recipeNames()));
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

/// Returns "154 Q4_K, 20 Q6_K, 73 F32".
std::string typeCounts(const QuantiseReport& report) {
    std::string text;
    for (const auto& [type, count] : report.tensorsByType)
        text += format("{}{} {}", text.empty() ? "" : ", ", count, info(type).name);
    return text;
}

/// Returns one line per pair of types, with the name of the first affected tensor.
std::string fallbackLines(const QuantiseReport& report) {
    struct Group {
        std::uint64_t count = 0;
        std::string first;
    };
    std::map<std::pair<DType, DType>, Group> groups;
    for (const auto& fallback : report.fallbacks) {
        Group& group = groups[{fallback.preferred, fallback.stored}];
        if (group.count++ == 0) group.first = fallback.tensor;
    }
    std::string text;
    for (const auto& [types, group] : groups)
        text += format(
            "{} matrices are {} instead of {}, because their rows are not a multiple of its blocks "
            "of {} ({}{})\n",
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

// cut-layers: writes some layers of a model as a draft model for it.

int cutLayers(const CutLayersArguments& arguments) {
    const auto cut = lacuna::cutLayers(arguments.in, arguments.out, arguments.keep);
    if (!cut) return report(cut.error());
    return printPage(format("{}: {} of {} layers, {:.1f} MiB\n", arguments.out, cut->layers,
                            cut->layersBefore, static_cast<double>(cut->bytes) / 0x1p20));
}

}  // namespace lacuna::cli
