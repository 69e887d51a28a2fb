#include "ui/chat/retention_presenter.h"

#include <QHBoxLayout>
#include <utility>

#include "app/state/application_state.h"
#include "app/state/chat/chat_controller.h"
#include "app/state/models/model_controller.h"
#include "app/state/telemetry/session_feed.h"
#include "ui/charts/heat_map.h"
#include "ui/charts/plot_cell.h"
#include "ui/charts/retention_view.h"
#include "ui/chat/chat_view.h"
#include "ui/style/page_kit.h"

namespace lacuna::ui {

namespace {

/// Stretch factors: there are many tokens and few heads.
constexpr int kHeadsStretch = 2, kTokensStretch = 5;

}  // namespace

CacheMapPanel::CacheMapPanel(const ThemeSource& themes, QWidget* parent)
    : QWidget(parent), m_heads(new MapCell(themes, this)), m_tokens(new MapCell(themes, this)) {
    QHBoxLayout* row = rowLayout(this, Spacing::hairWidth);
    row->addWidget(m_heads, kHeadsStretch);
    row->addWidget(m_tokens, kTokensStretch);
    // The panel background is visible between the maps as a hairline.
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
        if (!cell->isAncestorOf(window()->focusWidget())) continue;
        return cell->setFace(cell->otherFace());
    }
    const ChartFace face = m_tokens->otherFace();
    for (MapCell* cell : {m_heads, m_tokens}) cell->setFace(face);
}

bool CacheMapPanel::showsTable() const {
    return m_tokens->face() == ChartFace::Table;
}

namespace {

constexpr int kLookMs = 1000;

}  // namespace

RetentionPresenter::RetentionPresenter(app::ApplicationState& state, ChatView& chat,
                                       RetentionStrip& strip, CacheMapPanel& maps)
    : m_state(state), m_chat(chat), m_strip(strip), m_maps(maps) {
    connect(&state, &app::ApplicationState::retentionArrived, this, &RetentionPresenter::take);
    connect(&state.chat(), &app::ChatController::answerFinished, this,
            &RetentionPresenter::refresh);
    connect(&state.feed(), &app::SessionFeed::compactionArrived, this,
            &RetentionPresenter::refresh);
    connect(&state.chat(), &app::ChatController::currentChanged, this, [this] {
        if (m_held) return;
        showNothing();
        refresh();
    });
    // The displayed cache does not exist any more.
    connect(&state.feed(), &app::SessionFeed::cacheShown, this,
            [this](const app::SampleRow& cache) {
                if (!m_held && cache.contextTokens == 0) showNothing();
            });
    connect(&state.feed(), &app::SessionFeed::cachesDropped, this, [this] {
        if (!m_held) showNothing();
    });
    connect(&state, &app::ApplicationState::remoteChanged, this, [this] {
        if (m_held) return;
        showNothing();
        refresh();
    });
    connect(&state.chat(), &app::ChatController::stateChanged, this, [this] {
        if (!m_held) m_strip.setEmptyText(emptyText());
    });
    m_look.setInterval(kLookMs);
    connect(&m_look, &QTimer::timeout, this, [this] {
        if (m_mapsSeen && m_state.chat().answering() && !m_asked) ask();
    });
    m_look.start();
}

void RetentionPresenter::showOverlay() {
    m_strip.show();
    refresh();
}

void RetentionPresenter::toggleOverlay() {
    if (!m_strip.isVisible()) return showOverlay();
    m_strip.hide();
    m_chat.showPlain();
}

bool RetentionPresenter::overlayShown() const {
    return !m_strip.isHidden();
}

void RetentionPresenter::setMapsSeen(bool seen) {
    m_mapsSeen = seen;
    if (seen) refresh();
}

void RetentionPresenter::hold(bool held) {
    m_held = held;
    if (held) return;
    showNothing();
    refresh();
}

void RetentionPresenter::refresh() {
    m_overlayStale = true;
    if (m_held) return;
    if (m_strip.isVisible() || m_mapsSeen) ask();
}

void RetentionPresenter::ask() {
    if (m_state.remote() || !m_state.model().problem().isEmpty()) return;
    m_asked = true;
    m_state.chat().requestRetention();
}

void RetentionPresenter::showNothing() {
    m_strip.setEmptyText(emptyText());
    m_strip.setView({});
    m_maps.setView({});
    m_chat.showPlain();
}

QString RetentionPresenter::emptyText() const {
    if (m_state.remote())
        return tr("%1 does not report what its cache holds.").arg(m_state.remote()->name);
    if (m_state.chat().isEmpty()) return {};
    return m_state.chat().answering()
               ? tr("What the cache holds of each token appears here after the answer.")
               : tr("This conversation has no cache now: its next question reads the full text "
                    "again.");
}

void RetentionPresenter::take(const app::RetentionView& view) {
    m_asked = false;
    Q_EMIT looked(view);
    if (m_held || view.conversation != m_state.chat().current()) return;
    if (view.tokens() == 0) return showNothing();
    if (m_mapsSeen) m_maps.setView(view);
    // Tinting a long conversation costs a layout, so it happens once per compaction or answer.
    if (!m_strip.isVisible() || !std::exchange(m_overlayStale, false)) return;
    m_strip.setView(view);
    m_chat.showRetention(view);
}

}  // namespace lacuna::ui
