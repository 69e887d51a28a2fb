#pragma once
/// \file
/// Text of a message, as high as its content and without scroll bars of its own. A code block is
/// shown on a panel with its language and a copy button; its lines do not break, and a panel with
/// wider lines scrolls. GUI thread.

#include <QMouseEvent>
#include <QTextBrowser>
#include <QTimer>
#include <functional>
#include <vector>

class QFrame;
class QLabel;
class QScrollBar;
class QToolButton;

namespace lacuna::ui {

/// px from the edge of a text widget to its letters: border and document margin.
constexpr int kTextInset = 3;

/// A small button without a border; `name` is its tool tip and accessible name.
[[nodiscard]] QToolButton* quietButton(const QString& text, const QString& name, QWidget* parent);

/// Never loads resources that the text refers to.
class MessageText final : public QTextBrowser {
    Q_OBJECT

  public:
    explicit MessageText(QWidget* parent);
    /// Returns the tool tip for a document position; may be null.
    std::function<QString(int place)> tipAt;
    /// Actions appended to the context menu.
    QList<QAction*> offered;
    QVariant loadResource(int type, const QUrl& name) override;
    /// Scrolls the panel of the selection so that its start is visible.
    void showSelection();

  protected:
    QMimeData* createMimeDataFromSelection() const override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

  private:
    /// The panel of one code block.
    struct Panel {
        int first = 0, end = 0;  ///< document positions of the code
        QRect area;              ///< in the viewport, bar included
        QColor colour;
        QFrame* bar = nullptr;
        QLabel* language = nullptr;
        QToolButton* copy = nullptr;
        QScrollBar* scroll = nullptr;  ///< hidden unless a line is too long
    };

    void paintQuoteBars(const QRect& area);
    void paintPanels(const QRect& area);
    void paintScrolled(const QRect& area);
    void fitHeight();
    void findPanels();
    void placePanels();
    void addPanel();
    void copyCode(std::size_t panel);
    [[nodiscard]] const Panel* panelAt(const QPoint& at) const;
    /// Converts a point of the viewport to one of the unscrolled text.
    [[nodiscard]] QPoint unscrolled(const QPoint& at) const;
    [[nodiscard]] QMouseEvent unscrolled(const QMouseEvent& event) const;

    std::vector<Panel> m_panels;
    QTimer m_find;  ///< delays the search for code blocks until the text is written
};

}  // namespace lacuna::ui
