// Writes the document blocks as Markdown. Texts from users, models and files are escaped, so that
// they cannot become markup, links or HTML.

#include <algorithm>

#include "engine/base/string_format.h"
#include "engine/report/report_document.h"

namespace lacuna {
namespace {

/// Returns one line of escaped text.
std::string inlineText(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '\n' || c == '\r' || c == '\t') {
            result += ' ';
            continue;
        }
        if (static_cast<unsigned char>(c) < 0x20) continue;
        if (std::string_view("\\`*_[]<>#|!~&").find(c) != std::string_view::npos) result += '\\';
        result += c;
    }
    return result;
}

/// Returns a fence longer than any run of backticks in the text.
std::string fenceFor(std::string_view text) {
    std::size_t longest = 2;
    std::size_t run = 0;
    for (const char c : text) {
        run = c == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    return std::string(longest + 1, '`');
}

struct MarkdownWriter {
    std::string out;

    void operator()(const HeadingBlock& block) {
        out += std::string(static_cast<std::size_t>(block.level), '#') + " " +
               inlineText(block.text) + "\n\n";
    }
    void operator()(const ParagraphBlock& block) { out += inlineText(block.text) + "\n\n"; }
    void operator()(const TableBlock& block) {
        row(block.columns);
        out += '|';
        for (std::size_t i = 0; i < block.columns.size(); ++i)
            out += i < block.textColumns ? " --- |" : " ---: |";
        out += '\n';
        for (const auto& cells : block.rows) row(cells);
        out += '\n';
    }
    void operator()(const QuoteBlock& block) {
        const std::string fence = fenceFor(block.text);
        out += format("**{}**\n\n{}text\n{}\n{}\n\n", inlineText(block.speaker), fence, block.text,
                      fence);
    }
    void operator()(const ImageBlock& block) {
        out += format("![{}]({}.png)\n\n", inlineText(block.image.caption), block.image.name);
    }

  private:
    void row(const std::vector<std::string>& cells) {
        out += '|';
        for (const std::string& cell : cells) out += ' ' + inlineText(cell) + " |";
        out += '\n';
    }
};

}  // namespace

std::string reportMarkdown(const Recording& recording, std::span<const ReportImage> images,
                           ReportSections sections) {
    MarkdownWriter writer;
    for (const DocumentBlock& block : reportDocument(recording, images, sections))
        std::visit(writer, block);
    return std::move(writer.out);
}

}  // namespace lacuna
