#pragma once
/// \file
/// The rail at the left edge: one button per page of the window. GUI thread.

#include <QWidget>
#include <array>

class QButtonGroup;

namespace lacuna::ui {

class ThemeSource;

enum class Page { Chat, Monitor, Experiments, Models, Engines, Reports };
inline constexpr std::array kPages{Page::Chat,   Page::Monitor, Page::Experiments,
                                   Page::Models, Page::Engines, Page::Reports};
/// Stable name of a page, used in settings, actions and names of icons.
[[nodiscard]] QString pageKey(Page page);
[[nodiscard]] QString pageTitle(Page page);

class NavigationRail final : public QWidget {
    Q_OBJECT

  public:
    explicit NavigationRail(const ThemeSource& themes, QWidget* parent = nullptr);
    /// Marks the page that is shown.
    void setCurrent(Page page);
    /// Shows icons only, to save width.
    void setNarrow(bool narrow);

  Q_SIGNALS:
    void chosen(lacuna::ui::Page page);

  private:
    void drawIcons();

    const ThemeSource& m_themes;
    QButtonGroup* m_buttons;
};

}  // namespace lacuna::ui
