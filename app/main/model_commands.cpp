// convert.

#include <cstdio>

#include "app/main/cli_support.h"
#include "app/main/commands.h"
#include "engine/base/string_format.h"
#include "engine/format/convert.h"

namespace lacuna::cli {
namespace {

Result<ConvertReport> convertOrError(const std::string& folder, const std::string& out,
                                     const std::string& type, std::stop_token stop) {
    const auto wanted = dtypeFromName(type);
    if (!wanted || (!isPlainFloat(*wanted) && *wanted != DType::Q8_0))
        return fail(ErrorCode::InvalidArgument,
                    format("type {} is none of q8_0, f16, bf16, f32", type));
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
    return printPage(
        format("{}: {} tensors, {:.1f} MiB{}\n", out, written->tensors,
               static_cast<double>(written->bytes) / 0x1p20,
               written->keptWider == 0
                   ? std::string()
                   : format(", {} matrices kept as F16 because their rows do not fit the block",
                            written->keptWider)));
}

}  // namespace lacuna::cli
