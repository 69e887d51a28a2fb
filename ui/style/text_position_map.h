#pragma once
/// \file
/// Maps characters of a message as sent to positions in the document that shows it, and back; also
/// if the document is formatted and lacks the Markdown markup. GUI thread.

#include <QString>
#include <QVector>

class QTextDocument;

namespace lacuna::ui {

struct TextRange {
    qsizetype from = 0, to = 0;  ///< [from, to)
    [[nodiscard]] bool isEmpty() const { return to <= from; }
    friend bool operator==(const TextRange&, const TextRange&) = default;
};

/// A range of the document and the range of the text it shows.
struct ShownText {
    qsizetype place = 0;    ///< start in the document
    qsizetype letter = 0;   ///< start in the text
    qsizetype length = 0;   ///< length in the document
    qsizetype letters = 0;  ///< length in the text; differs only if one character represents
                            ///< several
};

class TextPositionMap {
  public:
    /// `document` shows the message from its character `before` on, character by character; it must
    /// outlive this object.
    [[nodiscard]] static TextPositionMap verbatim(const QTextDocument& document, qsizetype before);
    /// `document` shows the message from its character `before` on, formatted. `shown` lists the
    /// shown ranges, ascending in both positions. Characters added by formatting have no
    /// counterpart in the message.
    [[nodiscard]] static TextPositionMap formatted(const QTextDocument& document,
                                                   const QVector<ShownText>& shown,
                                                   qsizetype before);

    /// Converts a document range to the message; empty if it shows none of the message.
    [[nodiscard]] TextRange inText(TextRange places) const;
    /// Converts a message range to the document; empty if none of it is shown.
    [[nodiscard]] TextRange inDocument(TextRange letters) const;

  private:
    explicit TextPositionMap(const QTextDocument& document, qsizetype before)
        : m_document(&document), m_before(before) {}

    const QTextDocument* m_document;
    qsizetype m_before;
    bool m_formatted = false;
    QVector<ShownText> m_shown;  ///< ranges with indices into the message
};

}  // namespace lacuna::ui
