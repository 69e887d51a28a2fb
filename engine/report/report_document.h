#pragma once
/// \file
/// A report as a list of blocks, so that Markdown and HTML say the same. Internal to this room.
/// Plain data; texts are unescaped.

#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/report/recorder.h"
#include "engine/report/report.h"

namespace lacuna {

struct HeadingBlock {
    int level = 1;  ///< 1 to 3
    std::string text;
};
struct ParagraphBlock {
    std::string text;
};
struct TableBlock {
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows;
    std::size_t textColumns = 1;  ///< so many at the left are text, the rest are figures
};
/// What somebody said.
struct QuoteBlock {
    std::string speaker;
    std::string text;
    std::vector<std::pair<std::size_t, std::size_t>> pinned = {};  ///< bytes [first, second) of
                                                                   ///< the text, ascending, apart
};
struct ImageBlock {
    ReportImage image;
};
using DocumentBlock =
    std::variant<HeadingBlock, ParagraphBlock, TableBlock, QuoteBlock, ImageBlock>;

[[nodiscard]] std::vector<DocumentBlock> reportDocument(const Recording& recording,
                                                        std::span<const ReportImage> images,
                                                        ReportSections sections,
                                                        ReportMedium medium = ReportMedium::Screen);

}  // namespace lacuna
