#include "app/state/retention_overlay.h"

#include <algorithm>

namespace lacuna::app {

namespace {

/// Where `message` stands in the text from `from` on, trimmed as templates may do.
struct Found {
    qsizetype at = -1;      ///< in the text of the cache
    qsizetype skipped = 0;  ///< blanks of the message before that
    qsizetype length = 0;
};

Found findMessage(const QString& text, const QString& message, qsizetype from) {
    if (message.isEmpty()) return {};
    if (const qsizetype at = text.indexOf(message, from); at >= 0) return {at, 0, message.size()};
    const QString trimmed = message.trimmed();
    if (trimmed.isEmpty()) return {};
    const qsizetype at = text.indexOf(trimmed, from);
    return {at, message.indexOf(trimmed), trimmed.size()};
}

QVector<TokenSpan> spansWithin(const RetentionView& view, const Found& found) {
    QVector<TokenSpan> spans;
    const auto after = std::upper_bound(view.starts.begin(), view.starts.end(), found.at);
    for (qsizetype token = std::distance(view.starts.begin(), after) - 1;
         token < view.tokens() && token + 1 < view.starts.size(); ++token) {
        const qsizetype from = std::max(view.starts[token], found.at);
        const qsizetype to = std::min(view.starts[token + 1], found.at + found.length);
        if (view.starts[token] >= found.at + found.length) break;
        if (to > from) spans.push_back({from - found.at + found.skipped, to - from, token});
    }
    return spans;
}

}  // namespace

QVector<QVector<TokenSpan>> tokenSpans(const RetentionView& view, const QVector<ChatLine>& lines) {
    QVector<QVector<TokenSpan>> all;
    qsizetype from = 0;
    for (const ChatLine& line : lines) {
        const Found found = findMessage(view.text, messageText(line), from);
        all.push_back(found.at < 0 ? QVector<TokenSpan>() : spansWithin(view, found));
        if (found.at >= 0) from = found.at + found.length;
    }
    return all;
}

}  // namespace lacuna::app
