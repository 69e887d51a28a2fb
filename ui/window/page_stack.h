#pragma once
/// \file
/// The pages of the window: one is shown, and each is a single widget or a row of tabs. GUI thread.

#include <QStackedWidget>
#include <array>

#include "ui/window/navigation_rail.h"

class QTabWidget;

namespace lacuna::ui {

class PageStack final : public QStackedWidget {
    Q_OBJECT

  public:
    explicit PageStack(QWidget* parent = nullptr);
    /// Adds a tab to a page. A page with one tab shows no tab bar.
    void addTab(Page page, QWidget* content, const QString& title);
    /// Shows a page, whose missing tabs are built first.
    void open(Page page);
    /// Shows the tab with this content and moves the focus into it.
    void open(QWidget& content);
    [[nodiscard]] Page current() const { return static_cast<Page>(currentIndex()); }
    /// The content of the visible tab.
    [[nodiscard]] QWidget* shown() const;
    [[nodiscard]] QTabWidget& tabs(Page page) const;

  protected:
    /// The wheel scrolls a page, and never changes the input under the mouse.
    bool eventFilter(QObject* watched, QEvent* event) override;

  Q_SIGNALS:
    /// Requests the tabs of a page before it is shown.
    void pageRequested(lacuna::ui::Page page);
    /// Emitted when another page or tab is shown.
    void changed();

  private:
    void focusInside();

    std::array<QTabWidget*, kPages.size()> m_tabs{};
};

}  // namespace lacuna::ui
