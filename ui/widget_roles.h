#pragma once
/// \file
/// Small helpers that keep widgets alike: roles the style sheet knows, names for assistive
/// technology.

#include <QHash>
#include <QLabel>
#include <QString>
#include <QStringList>
#include <QWidget>

#include "app/state/view_types.h"

class QAbstractItemView;
class QProgressBar;

namespace lacuna::ui {

/// Gives a widget one of the looks of the style sheet ("secondary", "primary", "quiet", "notice",
/// ...).
void setRole(QWidget* widget, const QString& role);
/// The look of a setting's change: pending, applied, rejected.
[[nodiscard]] QString changeRole(app::ChangeState state);
/// Name and, when given, description for assistive technology.
void setAccessible(QWidget* widget, const QString& name, const QString& description = {});
/// A label that shows its text sign by sign. Qt takes a text with tags for a document and loads
/// what it names, and names and sentences come from files; so every label is made here.
[[nodiscard]] QLabel* plainLabel(const QString& text, QWidget* parent);
/// A thin bar without words that shows a share; `width` 0: as wide as there is room.
[[nodiscard]] QProgressBar* shareBar(int width, QWidget* parent);
/// `share` 0..1; below 0: work goes on, and how far it is is not known.
void showShare(QProgressBar& bar, double share);
/// Between the facts of one line.
[[nodiscard]] QString factDot();
/// A caption in secondary colour and small type; plain, too.
[[nodiscard]] QLabel* captionLabel(const QString& text, QWidget* parent);
/// A plain label that gives way: where a line has no room for it a shorter form is shown, or it
/// ends in an ellipsis, and it makes no line wider. text() stays whole.
class YieldingLabel final : public QLabel {
  public:
    explicit YieldingLabel(QWidget* parent) : QLabel(parent) {}
    /// The same said in fewer words, the longest first; an empty one at the end: rather nothing
    /// than a part.
    void setForms(const QStringList& longestFirst);
    /// Longer forms than this one are not tried: others need the room.
    void beginWith(qsizetype form);
    [[nodiscard]] const QStringList& forms() const { return m_forms; }
    /// Of a form, and what is around it.
    [[nodiscard]] int widthOf(qsizetype form) const;
    /// What stands there now; with an ellipsis where no form has room.
    [[nodiscard]] QString shown() const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    QStringList m_forms;  ///< none: the text alone
    qsizetype m_first = 0;
};
[[nodiscard]] YieldingLabel* yieldingLabel(QWidget* parent);
/// The same in secondary colour and small type.
[[nodiscard]] YieldingLabel* yieldingCaption(QWidget* parent);
/// A plain caption of several lines that never gets lower: what stands below it stays where it is
/// when the text becomes shorter or goes.
class SteadyCaption final : public QLabel {
  public:
    /// Room for `lines` from the beginning.
    SteadyCaption(int lines, QWidget* parent);
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  private:
    int m_lines;
    mutable QHash<int, int> m_tallest;  ///< by width
};
/// The text as a tool tip that shows it sign by sign, in lines no wider than a chart; the only way
/// to a tool tip. Long ones are cut.
[[nodiscard]] QString tipText(const QString& text);
/// The text with no more than `most` signs, the last an ellipsis where it was cut; what would break
/// or turn a line around (controls, bidirectional overrides) is shown as U+FFFD.
[[nodiscard]] QString oneLine(const QString& text, qsizetype most);
/// Signs of a name or a title that a line of the window has room for.
constexpr qsizetype kMaxTitleLength = 200;
/// Says what will stand in a list or a table as long as nothing does.
QLabel* sayWhenEmpty(QAbstractItemView& view, const QString& text);
/// A horizontal hairline.
[[nodiscard]] QWidget* hairline(QWidget* parent);

}  // namespace lacuna::ui
