#pragma once
/// \file
/// Words of a conversation that no compaction may forget, as the window has them: by line and
/// letters, with the tokens that they are. docs/pinned-text.md. Plain values and pure functions.

#include <QMetaType>
#include <QString>
#include <QVector>
#include <optional>
#include <vector>

#include "app/state/view_types.h"

namespace lacuna {
struct TextPin;
}

namespace lacuna::app {

/// Letters [first, last) of a line as it is sent (messageText).
struct PinnedWords {
    qint64 line = 0;  ///< its id
    qsizetype first = 0, last = 0;
    friend bool operator==(const PinnedWords&, const PinnedWords&) = default;
};

/// One pin as it is shown.
struct PinRow {
    PinnedWords words;
    int row = 0;                      ///< in the conversation
    QString text;                     ///< the words
    std::optional<qint64> tokens;     ///< nothing: not counted yet
    std::optional<qint64> forgotten;  ///< of them, lost before they were pinned
    friend bool operator==(const PinRow&, const PinRow&) = default;
};

/// With one more, which takes in those of its line that it touches.
[[nodiscard]] QVector<PinnedWords> withPin(const QVector<PinnedWords>& pins, PinnedWords added);
/// Without the letters of `gone`: a pin that is cut through leaves its ends.
[[nodiscard]] QVector<PinnedWords> withoutPin(const QVector<PinnedWords>& pins,
                                              const PinnedWords& gone);
/// Those on lines of the conversation, in its order; `row` and `text` are filled.
[[nodiscard]] QVector<PinRow> pinRows(const QVector<PinnedWords>& pins,
                                      const QVector<ChatLine>& lines);
/// The same as the engine is told them: messages without words are left out of its count, and
/// places are bytes.
[[nodiscard]] std::vector<TextPin> textPins(const QVector<PinRow>& rows,
                                            const QVector<ChatLine>& lines);

[[nodiscard]] QString pinsJson(const QVector<PinnedWords>& pins);
[[nodiscard]] QVector<PinnedWords> pinsOf(const QString& json);

}  // namespace lacuna::app
