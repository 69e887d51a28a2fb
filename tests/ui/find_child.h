#pragma once
/// \file
/// Finds widgets by their object names.

#include <QObject>
#include <QString>
#include <stdexcept>
#include <string>

namespace lacuna::ui {

/// Throws if there is none, which fails the test.
template <class Widget>
[[nodiscard]] Widget& child(const QObject& parent, const char* name) {
    auto* const found = parent.findChild<Widget*>(QString::fromLatin1(name));
    if (found == nullptr) throw std::logic_error(std::string("there is no ") + name);
    return *found;
}

}  // namespace lacuna::ui
