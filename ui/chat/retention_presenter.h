#pragma once
/// \file
/// Shows the content of the cache: tints the words of the chat by what it still holds of them, with
/// the strip below, and fills the maps. Queries the engine after an answer, a compaction or a
/// change of conversation, and once a second while an answer is written and the maps are visible;
/// never for hidden panels. GUI thread.

#include <QObject>
#include <QTimer>
#include <QWidget>

#include "app/state/view_types.h"

namespace lacuna::app {
class ApplicationState;
struct RetentionView;
}  // namespace lacuna::app

namespace lacuna::ui {

class ChatView;
class MapCell;
class RetentionStrip;
class ThemeSource;

/// Content of the current conversation's cache: slots by layer and head next to retention by token
/// and layer. A passive view. GUI thread.
class CacheMapPanel final : public QWidget {
    Q_OBJECT

  public:
    explicit CacheMapPanel(const ThemeSource& themes, QWidget* parent = nullptr);

    void setView(const app::RetentionView& view);
    /// Toggles the focused map, or both, between picture and table (F4).
    void toggleTable();
    [[nodiscard]] bool showsTable() const;
    [[nodiscard]] MapCell& heads() { return *m_heads; }
    [[nodiscard]] MapCell& tokens() { return *m_tokens; }

  private:
    MapCell* m_heads;
    MapCell* m_tokens;
};

class RetentionPresenter final : public QObject {
    Q_OBJECT

  public:
    /// The views must outlive the presenter.
    RetentionPresenter(app::ApplicationState& state, ChatView& chat, RetentionStrip& strip,
                       CacheMapPanel& maps);

    /// Tints the words and shows the strip.
    void showOverlay();
    void toggleOverlay();
    /// State of the overlay of the visible session, live or recorded.
    [[nodiscard]] bool overlayShown() const;
    /// Sets whether the maps are visible.
    void setMapsSeen(bool seen);
    [[nodiscard]] bool mapsSeen() const { return m_mapsSeen; }
    /// While held, another owner uses these panels, and nothing is queried or shown.
    void hold(bool held);
    /// Refreshes panels that are older than the cache.
    void refresh();
    /// Queries the engine even if nothing is visible; the reply arrives as `looked`.
    void ask();

  Q_SIGNALS:
    /// Emitted with the engine's reply, before anything on screen changes.
    void looked(const app::RetentionView& view);

  private:
    void showNothing();
    /// States why there is nothing to show; empty if nothing was queried yet.
    [[nodiscard]] QString emptyText() const;
    void take(const app::RetentionView& view);

    app::ApplicationState& m_state;
    ChatView& m_chat;
    RetentionStrip& m_strip;
    CacheMapPanel& m_maps;
    QTimer m_look;
    bool m_mapsSeen = false;
    bool m_held = false;
    bool m_asked = false;         ///< a query is in flight
    bool m_overlayStale = false;  ///< the tinted words are older than the cache
};

}  // namespace lacuna::ui
