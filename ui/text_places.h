#pragma once
/// \file
/// Where letters of a message as it is sent stand in the document that shows it, and the other way
/// round: also where the document is formatted and marks of Markdown are not in it. GUI thread.

#include <QString>
#include <QVector>

class QTextDocument;

namespace lacuna::ui {

struct TextRange {
    qsizetype from = 0, to = 0;  ///< [from, to)
    [[nodiscard]] bool isEmpty() const { return to <= from; }
    friend bool operator==(const TextRange&, const TextRange&) = default;
};

/// Characters of a document that show characters of a text.
struct ShownText {
    qsizetype place = 0;    ///< of the first one in the document
    qsizetype letter = 0;   ///< of the first one in the text
    qsizetype length = 0;   ///< in the document
    qsizetype letters = 0;  ///< in the text; another number only where one sign stands for several
};

class TextPlaces {
  public:
    /// `document` shows the message from its letter `before` on, sign by sign; it outlives this.
    [[nodiscard]] static TextPlaces verbatim(const QTextDocument& document, qsizetype before);
    /// It shows the message from its letter `before` on, formatted: `shown` of it, both places
    /// ascending. A sign that formatting put there has no place.
    [[nodiscard]] static TextPlaces formatted(const QTextDocument& document,
                                              const QVector<ShownText>& shown, qsizetype before);

    /// Of places of the document; empty where nothing of it is in the message.
    [[nodiscard]] TextRange inText(TextRange places) const;
    /// Of letters of the message; empty where nothing of them is shown.
    [[nodiscard]] TextRange inDocument(TextRange letters) const;

  private:
    explicit TextPlaces(const QTextDocument& document, qsizetype before)
        : m_document(&document), m_before(before) {}

    const QTextDocument* m_document;
    qsizetype m_before;
    bool m_formatted = false;
    QVector<ShownText> m_shown;  ///< with letters of the message
};

}  // namespace lacuna::ui
