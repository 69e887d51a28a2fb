#pragma once
/// \file
/// A report as a list of blocks, the common source of the Markdown and HTML output. Internal to
/// this module. Plain data; texts are unescaped.

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
    std::size_t textColumns = 1;  ///< number of leading text columns; the others are figures
};
/// A message of the conversation.
struct QuoteBlock {
    std::string speaker;
    std::string text;
    std::vector<std::pair<std::size_t, std::size_t>> pinned = {};  ///< byte ranges [first, second)
                                                                   ///< of the text, ascending and
                                                                   ///< disjoint
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
