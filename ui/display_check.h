#pragma once
/// \file
/// Qt ends a program that finds no display by abort(). While a check is open, that end is a
/// sentence on standard error and the exit status kNoDisplay (window_program.h). GUI thread, one at
/// a time.

#include <QtGlobal>

namespace lacuna::ui {

class DisplayCheck {
  public:
    DisplayCheck();
    ~DisplayCheck() { passed(); }
    DisplayCheck(const DisplayCheck&) = delete;
    DisplayCheck& operator=(const DisplayCheck&) = delete;
    /// There is one: what Qt said meanwhile is passed on, and the check is over.
    void passed();

  private:
    QtMessageHandler m_before;
    bool m_open = true;
};

}  // namespace lacuna::ui
