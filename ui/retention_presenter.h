#pragma once
/// \file
/// Shows the inside of the cache: the words of the chat tinted by what it still holds of them with
/// the strip below them, and the maps. Asks the engine for it after an answer, after a compaction,
/// when another conversation comes up, and once a second while an answer is written and the maps
/// are in sight; never for what nobody sees. GUI thread.

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

/// What the cache of the conversation on screen looks like inside: slots by layer and head
/// alongside retention by token and layer. Shows what it is given. GUI thread.
class CacheMapPanel final : public QWidget {
    Q_OBJECT

  public:
    explicit CacheMapPanel(const ThemeSource& themes, QWidget* parent = nullptr);

    void setView(const app::RetentionView& view);
    /// The map that has the keyboard, else both, as a table and back (F4).
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
    /// Where it is shown; both outlive the presenter.
    RetentionPresenter(app::ApplicationState& state, ChatView& chat, RetentionStrip& strip,
                       CacheMapPanel& maps);

    /// Tints the words and shows the strip.
    void showOverlay();
    void toggleOverlay();
    /// Of the live session or of the recorded one, whichever is shown.
    [[nodiscard]] bool overlayShown() const;
    /// Whether the maps are in sight.
    void setMapsSeen(bool seen);
    [[nodiscard]] bool mapsSeen() const { return m_mapsSeen; }
    /// While held, others show something in these panels, and nothing is asked or shown.
    void hold(bool held);
    /// What is in sight is older than the cache.
    void refresh();
    /// Whether or not anything is in sight; the answer comes as `looked`.
    void ask();

  Q_SIGNALS:
    /// The engine looked; nothing on screen has changed yet.
    void looked(const app::RetentionView& view);

  private:
    void showNothing();
    /// Why there is nothing to show; empty: nothing was asked yet.
    [[nodiscard]] QString emptyText() const;
    void take(const app::RetentionView& view);

    app::ApplicationState& m_state;
    ChatView& m_chat;
    RetentionStrip& m_strip;
    CacheMapPanel& m_maps;
    QTimer m_look;
    bool m_mapsSeen = false;
    bool m_held = false;
    bool m_asked = false;         ///< and the engine has not answered yet
    bool m_overlayStale = false;  ///< the tinted words are older than the cache
};

}  // namespace lacuna::ui
