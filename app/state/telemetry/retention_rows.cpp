#include "app/state/telemetry/retention_rows.h"

#include <algorithm>
#include <string>
#include <utility>

#include "app/state/view_rows.h"

namespace lacuna::app {

namespace {

/// Counts the UTF-16 code units that begin in `piece`, at the first byte of each character. A piece
/// may contain part of a character, which then belongs to the token with its first byte.
qsizetype unitsOf(const std::string& piece) {
    qsizetype units = 0;
    for (const char letter : piece) {
        const auto byte = static_cast<unsigned char>(letter);
        if ((byte & 0xC0U) == 0x80U) continue;
        units += byte >= 0xF0U ? 2 : 1;
    }
    return units;
}

void addText(const std::vector<std::string>& pieces, RetentionView& view) {
    std::string bytes;
    view.starts.reserve(static_cast<qsizetype>(pieces.size()) + 1);
    view.starts.push_back(0);
    for (const std::string& piece : pieces) {
        bytes += piece;
        view.starts.push_back(view.starts.back() + unitsOf(piece));
    }
    view.text = toQt(bytes);
    // Invalid UTF-8 may decode to another length; the offsets are limited to the text.
    for (qsizetype& start : view.starts) start = std::min(start, view.text.size());
}

}  // namespace

RetentionView viewOf(const RetentionSnapshot& snapshot, const ModelFacts* model) {
    const RetentionRow& row = snapshot.row;
    RetentionView view;
    view.conversation = snapshot.conversation.value;
    view.layers = row.layers;
    view.heads = row.kvHeads;
    view.layerHeads = QVector<int>(row.layerHeads.begin(), row.layerHeads.end());
    if (!row.layerHeads.empty()) view.heads = std::ranges::max(row.layerHeads);
    if (model != nullptr && model->layers == row.layers) {
        view.cacheLayers = QVector<int>(model->cacheLayers.begin(), model->cacheLayers.end());
        for (const KvExtent& one : model->extents) view.slotElements.push_back(one.elements());
    }
    view.sinks = snapshot.sinks;
    view.recent = snapshot.recent;
    view.share = QVector<float>(row.share.begin(), row.share.end());
    view.holders = QVector<quint16>(row.holders.begin(), row.holders.end());
    view.weight = QVector<float>(row.weight.begin(), row.weight.end());
    view.keyLength = QVector<float>(row.keyLength.begin(), row.keyLength.end());
    view.slots = QVector<int>(row.slots.begin(), row.slots.end());
    view.liveBytes = row.liveBytes;
    addText(snapshot.pieces, view);
    return view;
}

void RetentionHistory::compacted(qint64 conversation, qint64 number) {
    Seen& seen = m_seen[conversation];
    seen.newest = number;
    ++seen.unseen;
    seen.kept.reset();
}

void RetentionHistory::measured(qint64 conversation, const KeptInformation& kept) {
    m_seen[conversation].kept = kept;
}

RetentionView RetentionHistory::noted(RetentionView view) {
    Seen& seen = m_seen[view.conversation];
    QVector<qint64> lostBy(view.tokens(), 0);
    for (qsizetype token = 0; token < view.tokens(); ++token) {
        if (view.share[token] > 0) continue;
        const bool known = token < seen.lostBy.size();
        if (known && seen.lostBy[token] != 0) {
            lostBy[token] = seen.lostBy[token];
        } else {
            lostBy[token] = known && seen.unseen <= 1 ? seen.newest : -seen.newest;
        }
    }
    seen.lostBy = lostBy;
    seen.unseen = 0;
    view.lostBy = std::move(lostBy);
    if (seen.kept && seen.kept->worst < 1) {
        view.weakestFirst = seen.kept->worstFirst;
        view.weakestEnd = std::min<qsizetype>(seen.kept->worstEnd, view.tokens());
        view.weakestKept = seen.kept->worst;
    }
    return view;
}

namespace {

/// Result of searching `message` in the text from `from` on, trimmed as templates may do.
struct Found {
    qsizetype at = -1;      ///< offset in the text of the cache
    qsizetype skipped = 0;  ///< leading blanks of the message that were trimmed
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
