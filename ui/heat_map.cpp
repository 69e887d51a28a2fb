#include "ui/heat_map.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <numeric>

#include "app/state/number_format.h"

namespace lacuna::ui {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("HeatMap", text);
}

/// Bytes of a head, from its share of all slots: every slot costs the same in one cache.
qint64 bytesOf(const app::RetentionView& view, qint64 slots) {
    const qint64 all = std::accumulate(view.slots.begin(), view.slots.end(), qint64{0});
    return all == 0 ? 0 : view.liveBytes * slots / all;
}

QString headSentence(const app::RetentionView& view, int layer, int head) {
    const int slots = view.slots[layer * view.heads + head];
    const auto tokens = static_cast<double>(std::max<qsizetype>(view.tokens(), 1));
    return tr("Layer %1, head %2: %3 slots for %4 tokens (%5), %6")
        .arg(layer + 1)
        .arg(head + 1)
        .arg(app::countText(slots), app::countText(view.tokens()),
             app::percentText(static_cast<double>(slots) / tokens),
             app::bytesText(bytesOf(view, slots)));
}

ChartTable headTable(const app::RetentionView& view) {
    ChartTable table;
    table.header << tr("Layer");
    for (int head = 0; head < view.heads; ++head) table.header << tr("Head %1").arg(head + 1);
    table.header << tr("Bytes");
    for (int layer = 0; layer < view.layers; ++layer) {
        QStringList row{app::countText(layer + 1)};
        qint64 sum = 0;
        for (int head = 0; head < view.heads; ++head) {
            const int slots = view.slots[layer * view.heads + head];
            row << app::countText(slots);
            sum += slots;
        }
        table.rows << row + QStringList{app::bytesText(bytesOf(view, sum))};
    }
    return table;
}

std::array<qint64, kTokenFates> countFates(const QVector<TokenFate>& fates) {
    std::array<qint64, kTokenFates> counts{};
    for (const TokenFate fate : fates) ++counts[static_cast<std::size_t>(fate)];
    return counts;
}

QString retentionSentence(const app::RetentionView& view, int layer, int token) {
    return tr("%1. Layer %2: %3 of %4 heads hold it.")
        .arg(tokenSentence(view, token))
        .arg(layer + 1)
        .arg(view.holders[layer * view.tokens() + token])
        .arg(view.heads);
}

ChartTable retentionTable(const app::RetentionView& view) {
    ChartTable table;
    table.header = {tr("Token"), tr("Text"), tr("Fate"), tr("Held by"), tr("Layers")};
    for (qsizetype token = 0; token < view.tokens(); ++token) {
        table.rows << QStringList{
            app::countText(token + 1), visiblePiece(view, token), fateText(fateOf(view, token)),
            app::percentText(static_cast<double>(view.share[token])), layersText(view, token)};
    }
    return table;
}

}  // namespace

HeatMap headMap(const app::RetentionView& view) {
    HeatMap map;
    map.id = QStringLiteral("head-map");
    map.title = tr("Slots by layer and head");
    map.rowName = tr("layer");
    map.columnName = tr("head");
    map.empty = tr("How many slots each head keeps appears here with the first prompt.");
    map.definitions =
        tr("One cell for each key-value head of each layer. Full colour: as many slots as the "
           "conversation has tokens; paler: compaction left fewer.");
    if (view.slots.isEmpty() || view.tokens() == 0) return map;
    map.rows = view.layers;
    map.columns = view.heads;
    const auto tokens = static_cast<float>(view.tokens());
    for (const int slots : view.slots) {
        map.values << std::min(1.0F, static_cast<float>(slots) / tokens);
        map.cellTexts << app::countText(slots);
    }
    const auto [least, most] = std::minmax_element(view.slots.begin(), view.slots.end());
    map.leastText = QStringLiteral("0");
    map.greatestText = tr("%1 slots").arg(app::countText(view.tokens()));
    map.headline = *least == *most ? app::countText(*most)
                                   : app::countText(*least) + QChar(0x2013) + app::countText(*most);
    map.notes << tr("slots a head") << app::bytesText(view.liveBytes);
    map.description = tr("Slots by layer and head: %1 layers of %2 heads, %3 to %4 slots for %5 "
                         "tokens, %6 in all.")
                          .arg(view.layers)
                          .arg(view.heads)
                          .arg(app::countText(*least), app::countText(*most),
                               app::countText(view.tokens()), app::bytesText(view.liveBytes));
    map.sentence = [view](int layer, int head) { return headSentence(view, layer, head); };
    map.table = [view] { return headTable(view); };
    return map;
}

HeatMap retentionMap(const app::RetentionView& view) {
    HeatMap map;
    map.id = QStringLiteral("retention-map");
    map.title = tr("Retention by token and layer");
    map.rowName = tr("layer");
    map.columnName = tr("token");
    map.empty = tr("What each layer still holds of each token appears here with the first prompt.");
    map.definitions =
        tr("One column for each token, one row for each layer; the darker, the more of the layer's "
           "heads still hold the token. The band above tells what became of the token as a whole.");
    if (view.holders.isEmpty() || view.tokens() == 0) return map;
    map.rows = view.layers;
    map.columns = static_cast<int>(view.tokens());
    const auto heads = static_cast<float>(view.heads);
    map.values.reserve(view.holders.size());
    for (const quint16 holders : view.holders) map.values << static_cast<float>(holders) / heads;
    map.fates.reserve(view.tokens());
    for (qsizetype token = 0; token < view.tokens(); ++token) map.fates << fateOf(view, token);
    map.leastText = tr("no head");
    map.greatestText = tr("all heads");
    const auto counts = countFates(map.fates);
    const auto of = [&](TokenFate fate) { return counts[static_cast<std::size_t>(fate)]; };
    const qint64 gone = of(TokenFate::Evicted);
    map.headline = tr("%1 evicted").arg(app::countText(gone));
    map.notes << tr("of %1 tokens").arg(app::countText(view.tokens()));
    map.description =
        tr("Retention: of %1 tokens %2 are kept everywhere, %3 merged, %4 kept in part and %5 "
           "evicted.")
            .arg(app::countText(view.tokens()), app::countText(of(TokenFate::Kept)),
                 app::countText(of(TokenFate::Merged)), app::countText(of(TokenFate::Thinned)),
                 app::countText(gone));
    map.sentence = [view](int layer, int token) { return retentionSentence(view, layer, token); };
    map.table = [view] { return retentionTable(view); };
    return map;
}

}  // namespace lacuna::ui
