// A single self-contained file: styles and images are embedded, there are no scripts and no
// external references. A content security policy enforces this in the browser.

#include <algorithm>

#include "engine/base/string_format.h"
#include "engine/report/report_document.h"

namespace lacuna {
namespace {

constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>Lacuna session report</title>
<style>
:root { color-scheme: light; }
body { margin: 0 auto; max-width: 60rem; padding: 2.5rem 1.5rem 5rem; background: #fafafa; color: #1c1c1c;
  font: 1rem/1.55 system-ui, "Noto Sans", sans-serif; font-variant-numeric: tabular-nums; }
h1 { margin: 0 0 .5rem; font-size: 1.9rem; line-height: 1.2; font-weight: 650; letter-spacing: -.01em; }
h2 { margin: 2.75rem 0 .75rem; padding-top: 1.25rem; border-top: 1px solid #e1e1e1; font-size: 1.25rem; font-weight: 650; }
h3 { margin: 1.75rem 0 .5rem; font-size: 1rem; font-weight: 650; color: #4a4a4a; }
p { margin: .5rem 0 1rem; max-width: 44rem; }
.wide { overflow-x: auto; margin: .75rem 0 1.25rem; }
table { border-collapse: collapse; font-size: .875rem; line-height: 1.4; }
th, td { padding: .35rem 1rem .35rem 0; border-bottom: 1px solid #e1e1e1; text-align: left; vertical-align: top; }
th { font-weight: 600; color: #5f5f5f; }
th.figure, td.figure { text-align: right; white-space: nowrap; }
td { overflow-wrap: anywhere; }
figure { margin: 1.5rem 0; }
figure img { display: block; max-width: 100%; height: auto; border: 1px solid #e1e1e1; border-radius: 6px; background: #fff; }
figcaption { margin-top: .5rem; font-size: .875rem; color: #5f5f5f; }
.said { margin: .5rem 0 1rem; padding: .75rem 1rem; border-radius: 6px; background: #fff; border: 1px solid #e1e1e1;
  max-width: 44rem; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 24rem; overflow-y: auto; }
.pinned { background: #fff3c4; border-bottom: 2px dashed #b58900; }
.speaker { margin: .75rem 0 .25rem; font-size: .8rem; font-weight: 600; color: #0072b2; }
@media print { body { background: #fff; max-width: none; } .said { max-height: none; } }
</style>
</head>
<body>
)";

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '&')
            result += "&amp;";
        else if (c == '<')
            result += "&lt;";
        else if (c == '>')
            result += "&gt;";
        else if (c == '"')
            result += "&quot;";
        else if (c == '\'')
            result += "&#39;";
        else if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t')
            result += c;
    }
    return result;
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view kAlphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string result;
    result.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
        for (std::size_t k = 0; k < 3; ++k)
            group = (group << 8) | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        for (std::size_t k = 0; k < 4; ++k)
            result += k <= count ? kAlphabet[(group >> (18 - 6 * k)) & 63U] : '=';
    }
    return result;
}

struct HtmlWriter {
    ReportMedium medium;
    std::string out = std::string(kHead);

    void operator()(const HeadingBlock& block) {
        out += format("<h{0}>{1}</h{0}>\n", block.level, escaped(block.text));
    }
    void operator()(const ParagraphBlock& block) {
        out += format("<p>{}</p>\n", escaped(block.text));
    }
    void operator()(const TableBlock& block) {
        out += "<div class=\"wide\"><table>\n";
        bool named = false;
        for (const std::string& column : block.columns) named = named || !column.empty();
        // A <thead> is repeated on every printed page.
        const bool marked = named && medium == ReportMedium::Paper;
        if (marked) out += "<thead>";
        if (named) row(block.columns, "th", block.textColumns);
        if (marked) out += "</thead>\n";
        for (const auto& cells : block.rows) row(cells, "td", block.textColumns);
        out += "</table></div>\n";
    }
    void operator()(const QuoteBlock& block) {
        out +=
            format("<div class=\"speaker\">{}</div>\n<div class=\"said\">", escaped(block.speaker));
        const std::string_view text = block.text;
        std::size_t written = 0;
        for (const auto& [first, last] : block.pinned) {
            out += escaped(text.substr(written, first - written));
            out += format("<span class=\"pinned\" title=\"pinned\">{}</span>",
                          escaped(text.substr(first, last - first)));
            written = last;
        }
        out += escaped(text.substr(written)) + "</div>\n";
    }
    void operator()(const ImageBlock& block) {
        out += format(
            "<figure><img alt=\"{0}\" "
            "src=\"data:image/png;base64,{1}\"><figcaption>{0}</figcaption></figure>\n",
            escaped(block.image.caption), base64(block.image.png));
    }

  private:
    void row(const std::vector<std::string>& cells, std::string_view tag, std::size_t textColumns) {
        out += "<tr>";
        for (std::size_t i = 0; i < cells.size(); ++i)
            out += format("<{0}{1}>{2}</{0}>", tag, i < textColumns ? "" : " class=\"figure\"",
                          escaped(cells[i]));
        out += "</tr>\n";
    }
};

}  // namespace

std::string reportHtml(const Recording& recording, std::span<const ReportImage> images,
                       ReportSections sections, ReportMedium medium) {
    HtmlWriter writer{medium};
    for (const DocumentBlock& block : reportDocument(recording, images, sections, medium))
        std::visit(writer, block);
    return writer.out + "</body>\n</html>\n";
}

}  // namespace lacuna
