#pragma once
/// \file
/// A table of a message as lines of text: columns as wide as their widest cell, for a font of equal
/// widths. Wide signs (CJK, emoji) count two. A value without widgets.

#include <QString>
#include <QStringList>
#include <QVector>

namespace lacuna::ui {

enum class CellSide { Left, Centre, Right };

class TextTable {
  public:
    void startRow() { m_rows.emplace_back(); }
    void startCell(CellSide side) { m_rows.back().push_back({QString(), side}); }
    /// To the cell that was started last.
    void addText(const QString& text) { m_rows.back().back().text += text; }
    [[nodiscard]] bool inCell() const { return !m_rows.isEmpty() && !m_rows.back().isEmpty(); }
    /// The first row, a rule, the other rows; every line equally wide.
    [[nodiscard]] QStringList lines() const;

  private:
    struct Cell {
        QString text;
        CellSide side = CellSide::Left;
    };
    QVector<QVector<Cell>> m_rows;
};

/// Columns that a text takes in a font of equal widths.
[[nodiscard]] qsizetype columnsOf(const QString& text);

}  // namespace lacuna::ui
