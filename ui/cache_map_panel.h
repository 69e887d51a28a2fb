#pragma once
/// \file
/// What the cache of the conversation on screen looks like inside: slots by layer and head
/// alongside retention by token and layer. Shows what it is given. GUI thread.

#include <QWidget>

#include "app/state/view_types.h"

namespace lacuna::ui {

class MapCell;
class ThemeSource;

class CacheMapPanel final : public QWidget {
    Q_OBJECT

  public:
    explicit CacheMapPanel(const ThemeSource& themes, QWidget* parent = nullptr);

    void setView(const app::RetentionView& view);
    /// The map that has the keyboard, else both, as a table and back (F4).
    void toggleTable();
    [[nodiscard]] MapCell& heads() { return *m_heads; }
    [[nodiscard]] MapCell& tokens() { return *m_tokens; }

  private:
    MapCell* m_heads;
    MapCell* m_tokens;
};

}  // namespace lacuna::ui
