// libFuzzer target: arbitrary bytes as a session report. A valid one is written in every form.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/base/json.h"
#include "engine/report/report.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto json =
        lacuna::parseJson(std::string_view(reinterpret_cast<const char*>(data), size));
    if (!json) return 0;
    const auto recording = lacuna::recordingFromJson(*json);
    if (!recording) return 0;
    static_cast<void>(lacuna::reportJsonText(*recording));
    static_cast<void>(lacuna::reportCsv(*recording));
    static_cast<void>(lacuna::reportMarkdown(*recording, {}));
    static_cast<void>(lacuna::reportHtml(*recording, {}));
    return 0;
}
