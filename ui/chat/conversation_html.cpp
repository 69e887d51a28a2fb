#include "ui/chat/conversation_html.h"

#include <utility>

#include "app/state/chat/conversation_export.h"
#include "app/state/storage/conversation_database.h"
#include "ui/chat/markdown_input.h"

namespace lacuna::ui {

namespace {

/// The policy forbids scripts and everything that a page could load.
constexpr const char* kHead = R"(<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>%1</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
section { margin: 1.5rem 0; }
header { font-weight: 600; }
.user > div, .system > div { white-space: pre-wrap; background: #8882; border-radius: 6px; padding: .5rem .75rem; }
pre { background: #8882; border-radius: 6px; padding: .75rem; overflow-x: auto; }
blockquote { margin: 0; padding-left: 1rem; border-left: 3px solid #8886; }
table { border-collapse: collapse; }
th, td { border: 1px solid #8886; padding: .25rem .5rem; }
details, .note, .image { opacity: .75; }
</style>
</head>
<body>
<h1>%1</h1>
)";

QString escaped(const QString& text) {
    return text.toHtmlEscaped();
}

/// Writes the HTML of one Markdown text.
class HtmlWriter {
  public:
    [[nodiscard]] QString write(const QString& markdown) {
        const MarkdownSource source(markdown);
        const MarkdownInput input(source);
        m_input = &input;
        input.parse(*this);
        return std::move(m_html);
    }

  private:
    friend lacuna::ui::MarkdownInput;

    /// Name of the element of a block; null if it has none.
    [[nodiscard]] static const char* elementOf(MD_BLOCKTYPE type) {
        constexpr std::pair<MD_BLOCKTYPE, const char*> kElements[] = {
            {MD_BLOCK_QUOTE, "blockquote"},
            {MD_BLOCK_UL, "ul"},
            {MD_BLOCK_OL, "ol"},
            {MD_BLOCK_LI, "li"},
            {MD_BLOCK_P, "p"},
            {MD_BLOCK_TABLE, "table"},
            {MD_BLOCK_THEAD, "thead"},
            {MD_BLOCK_TBODY, "tbody"},
            {MD_BLOCK_TR, "tr"},
            {MD_BLOCK_TH, "th"},
            {MD_BLOCK_TD, "td"}};
        for (const auto& [block, name] : kElements)
            if (block == type) return name;
        return nullptr;
    }

    void open(const char* element, const QString& attributes = {}) {
        m_html += QLatin1Char('<') + QLatin1String(element) + attributes + QLatin1Char('>');
    }
    void close(const char* element) {
        m_html += QLatin1String("</") + QLatin1String(element) + QLatin1Char('>');
    }

    void enterBlock(MD_BLOCKTYPE type, void* detail) {
        switch (type) {
            case MD_BLOCK_HR:
                m_html += QLatin1String("<hr>\n");
                return;
            case MD_BLOCK_H:
                m_level = static_cast<MD_BLOCK_H_DETAIL*>(detail)->level;
                m_html += QStringLiteral("<h%1>").arg(m_level);
                return;
            case MD_BLOCK_CODE:
                return openCode(m_input->text(static_cast<MD_BLOCK_CODE_DETAIL*>(detail)->lang));
            case MD_BLOCK_OL:
                return open("ol", QStringLiteral(" start=\"%1\"")
                                      .arg(static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start));
            case MD_BLOCK_LI:
                open("li");
                return task(*static_cast<MD_BLOCK_LI_DETAIL*>(detail));
            case MD_BLOCK_TH:
            case MD_BLOCK_TD:
                return open(elementOf(type),
                            alignOf(static_cast<MD_BLOCK_TD_DETAIL*>(detail)->align));
            default:
                if (const char* element = elementOf(type)) open(element);
        }
    }

    void openCode(const QString& language) {
        m_html += QLatin1String("<pre><code");
        if (!language.isEmpty())
            m_html += QStringLiteral(" class=\"language-%1\"").arg(escaped(language));
        m_html += QLatin1Char('>');
    }

    void task(const MD_BLOCK_LI_DETAIL& item) {
        if (item.is_task == 0) return;
        m_html += item.task_mark == ' '
                      ? QLatin1String("<input type=\"checkbox\" disabled> ")
                      : QLatin1String("<input type=\"checkbox\" checked disabled> ");
    }

    [[nodiscard]] static QString alignOf(MD_ALIGN align) {
        return align == MD_ALIGN_RIGHT    ? QStringLiteral(" style=\"text-align: right\"")
               : align == MD_ALIGN_CENTER ? QStringLiteral(" style=\"text-align: center\"")
                                          : QString();
    }

    void leaveBlock(MD_BLOCKTYPE type) {
        if (type == MD_BLOCK_DOC) return;
        if (type == MD_BLOCK_H) m_html += QStringLiteral("</h%1>").arg(m_level);
        if (type == MD_BLOCK_CODE) m_html += QLatin1String("</code></pre>");
        if (const char* element = elementOf(type)) close(element);
        m_html += QLatin1Char('\n');
    }

    [[nodiscard]] static const char* elementOf(MD_SPANTYPE type) {
        constexpr std::pair<MD_SPANTYPE, const char*> kElements[] = {{MD_SPAN_EM, "em"},
                                                                     {MD_SPAN_STRONG, "strong"},
                                                                     {MD_SPAN_DEL, "del"},
                                                                     {MD_SPAN_CODE, "code"},
                                                                     {MD_SPAN_A, "a"}};
        for (const auto& [span, name] : kElements)
            if (span == type) return name;
        return "span";
    }

    void enterSpan(MD_SPANTYPE type, void* detail) {
        if (type == MD_SPAN_A) {
            const QString address = m_input->text(static_cast<MD_SPAN_A_DETAIL*>(detail)->href);
            return open("a", QStringLiteral(" href=\"%1\"").arg(escaped(address)));
        }
        open(elementOf(type), type == MD_SPAN_IMG ? QStringLiteral(" class=\"image\"") : QString());
    }

    void leaveSpan(MD_SPANTYPE type, void* detail) {
        if (type == MD_SPAN_IMG)
            m_html +=
                escaped(imageText(m_input->text(static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src)));
        close(elementOf(type));
    }

    void text(MD_TEXTTYPE type, const MarkdownInput::Part& part) {
        if (type == MD_TEXT_NULLCHAR) return;
        m_html += type == MD_TEXT_BR || type == MD_TEXT_SOFTBR ? QStringLiteral("<br>\n")
                  : type == MD_TEXT_ENTITY                     ? part.text
                                                               : escaped(part.text);
    }

    const MarkdownInput* m_input = nullptr;
    QString m_html;
    unsigned m_level = 0;  ///< of the open heading
};

QString folded(const QString& title, const QString& html) {
    return QStringLiteral("<details><summary>") + escaped(title) + QStringLiteral("</summary>\n") +
           html + QStringLiteral("</details>\n");
}

QString classOf(app::MessageRole speaker) {
    return speaker == app::MessageRole::Model    ? QStringLiteral("assistant")
           : speaker == app::MessageRole::Person ? QStringLiteral("user")
                                                 : QStringLiteral("system");
}

QString messageHtml(const app::ChatLine& line) {
    QString html = QStringLiteral("<section class=\"") + classOf(line.speaker) +
                   QStringLiteral("\">\n<header>") + escaped(app::authorOf(line)) +
                   QStringLiteral("</header>\n");
    for (const app::AttachedPart& part : app::attachedParts(line))
        html += folded(part.name, QStringLiteral("<pre>") +
                                      escaped(line.attachmentText.mid(part.first, part.length)) +
                                      QStringLiteral("</pre>\n"));
    if (!line.thought.text.isEmpty())
        html += folded(app::thoughtText(line.thought), HtmlWriter().write(line.thought.text));
    if (line.speaker == app::MessageRole::Model)
        html += HtmlWriter().write(line.text);
    else if (!line.text.isEmpty())
        html += QStringLiteral("<div>") + escaped(line.text) + QStringLiteral("</div>\n");
    if (!line.problem.isEmpty())
        html +=
            QStringLiteral("<p class=\"note\">") + escaped(line.problem) + QStringLiteral("</p>\n");
    return html + QStringLiteral("</section>\n");
}

}  // namespace

QString conversationHtml(const app::ConversationRecord& record) {
    QString page = QString::fromUtf8(kHead).replace(QLatin1String("%1"), escaped(record.title));
    for (const app::ChatLine& line : record.lines) page += messageHtml(line);
    return page + QStringLiteral("</body>\n</html>\n");
}

}  // namespace lacuna::ui
