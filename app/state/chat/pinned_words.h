#pragma once
/// \file
/// Words of a conversation that are protected from compactions, by line and character range, with
/// their token counts. docs/pinned-text.md. Plain values and pure functions.

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

/// Characters [first, last) of a line as it is sent (messageText).
struct PinnedWords {
    qint64 line = 0;  ///< id of the line
    qsizetype first = 0, last = 0;
    friend bool operator==(const PinnedWords&, const PinnedWords&) = default;
};

/// One pin as displayed.
struct PinRow {
    PinnedWords words;
    int row = 0;                    ///< row of its line in the conversation
    QString text;                   ///< the pinned words
    std::optional<qint64> tokens;   ///< nullopt if not counted yet
    std::optional<qint64> evicted;  ///< tokens that were evicted before the words were pinned
    friend bool operator==(const PinRow&, const PinRow&) = default;
};

/// Adds a pin and merges it with overlapping or adjacent pins of its line.
[[nodiscard]] QVector<PinnedWords> withPin(const QVector<PinnedWords>& pins, PinnedWords added);
/// Removes the range `gone` from all pins; a pin that is cut keeps its remaining ends.
[[nodiscard]] QVector<PinnedWords> withoutPin(const QVector<PinnedWords>& pins,
                                              const PinnedWords& removed);
/// Returns the pins on the given lines in order, with `row` and `text` filled.
[[nodiscard]] QVector<PinRow> pinRows(const QVector<PinnedWords>& pins,
                                      const QVector<ChatLine>& lines);
/// Converts pins to the form sent to the engine: empty messages are not counted, and positions are
/// in bytes.
[[nodiscard]] std::vector<TextPin> textPins(const QVector<PinRow>& rows,
                                            const QVector<ChatLine>& lines);

[[nodiscard]] QString pinsJson(const QVector<PinnedWords>& pins);
[[nodiscard]] QVector<PinnedWords> pinsOf(const QString& json);

}  // namespace lacuna::app
