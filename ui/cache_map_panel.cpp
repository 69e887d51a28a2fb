#include "ui/cache_map_panel.h"

#include <QHBoxLayout>

#include "ui/heat_map.h"
#include "ui/plot_cell.h"

namespace lacuna::ui {

namespace {

/// Tokens are many, heads are few.
constexpr int kHeadsStretch = 2, kTokensStretch = 5;

}  // namespace

CacheMapPanel::CacheMapPanel(const ThemeSource& themes, QWidget* parent)
    : QWidget(parent), m_heads(new MapCell(themes, this)), m_tokens(new MapCell(themes, this)) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(1);
    row->addWidget(m_heads, kHeadsStretch);
    row->addWidget(m_tokens, kTokensStretch);
    // The panel shows between the maps as a hairline.
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Mid);
    setView({});
}

void CacheMapPanel::setView(const app::RetentionView& view) {
    m_heads->setMap(headMap(view));
    m_tokens->setMap(retentionMap(view));
}

void CacheMapPanel::toggleTable() {
    for (MapCell* cell : {m_heads, m_tokens}) {
        if (!cell->isAncestorOf(focusWidget())) continue;
        return cell->setFace(cell->otherFace());
    }
    const ChartFace face = m_tokens->otherFace();
    for (MapCell* cell : {m_heads, m_tokens}) cell->setFace(face);
}

}  // namespace lacuna::ui
