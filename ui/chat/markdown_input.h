#pragma once
/// \file
/// Runs the Markdown parser (md4c) over a text and maps what it reports to the source, so that TeX
/// stays verbatim. Shared by everything that reads Markdown. Values without widgets.

#include <md4c.h>

#include <QByteArray>
#include <QString>

#include "ui/chat/markdown_source.h"

namespace lacuna::ui {

/// Input of the parser, mapped to the source text of what it reports.
class MarkdownInput {
  public:
    struct Part {
        QString text;
        qsizetype index = -1;  ///< index in the source; -1: added by the parser
    };

    explicit MarkdownInput(const MarkdownSource& source);
    /// Calls `reader` for every block, span and text: it has the functions enterBlock(type,
    /// detail), leaveBlock(type), enterSpan(type, detail), leaveSpan(type, detail) and text(type,
    /// part).
    template <class Reader>
    void parse(Reader& reader) const;

    [[nodiscard]] Part part(const MD_CHAR* text, MD_SIZE size) const;
    [[nodiscard]] QString text(const MD_ATTRIBUTE& attribute) const {
        return part(attribute.text, attribute.size).text;
    }

  private:
    [[nodiscard]] static MD_PARSER options();
    [[nodiscard]] qsizetype unitAt(qsizetype byte) const;

    const MarkdownSource& m_source;
    const QByteArray m_bytes;
    mutable qsizetype m_byte = 0, m_unit = 0;
};

/// Text of an entity if it is one of XML's; otherwise the entity itself.
[[nodiscard]] QString unescaped(const QString& entity);
/// Placeholder of an image, which is not loaded.
[[nodiscard]] QString imageText(const QString& address);

template <class Reader>
void MarkdownInput::parse(Reader& reader) const {
    struct Both {
        const MarkdownInput& input;
        Reader& reader;
    } both{*this, reader};
    MD_PARSER parser = options();
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
        static_cast<Both*>(self)->reader.enterBlock(type, detail);
        return 0;
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void*, void* self) {
        static_cast<Both*>(self)->reader.leaveBlock(type);
        return 0;
    };
    parser.enter_span = [](MD_SPANTYPE type, void* detail, void* self) {
        static_cast<Both*>(self)->reader.enterSpan(type, detail);
        return 0;
    };
    parser.leave_span = [](MD_SPANTYPE type, void* detail, void* self) {
        static_cast<Both*>(self)->reader.leaveSpan(type, detail);
        return 0;
    };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
        const auto& [input, to] = *static_cast<Both*>(self);
        to.text(type, input.part(text, size));
        return 0;
    };
    md_parse(m_bytes.constData(), static_cast<MD_SIZE>(m_bytes.size()), &parser, &both);
}

}  // namespace lacuna::ui
