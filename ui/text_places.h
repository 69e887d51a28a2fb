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

class TextPlaces {
  public:
    /// `document` shows the message from its letter `before` on, sign by sign; it outlives this.
    [[nodiscard]] static TextPlaces verbatim(const QTextDocument& document, qsizetype before);
    /// It shows `source`, the message from `before` on, formatted. Words are found in their order;
    /// a sign that formatting put there has no place.
    [[nodiscard]] static TextPlaces formatted(const QTextDocument& document, const QString& source,
                                              qsizetype before);

    /// Of places of the document; empty where nothing of it is in the message.
    [[nodiscard]] TextRange inText(TextRange places) const;
    /// Of letters of the message; empty where nothing of them is shown.
    [[nodiscard]] TextRange inDocument(TextRange letters) const;

  private:
    explicit TextPlaces(const QTextDocument& document, qsizetype before)
        : m_document(&document), m_before(before) {}

    struct Word {
        qsizetype place = 0, letter = 0, length = 0;  ///< in the document, in the message
    };
    const QTextDocument* m_document;
    qsizetype m_before;
    bool m_formatted = false;
    QVector<Word> m_words;  ///< both places rise
};

}  // namespace lacuna::ui
