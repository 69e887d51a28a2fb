#include "engine/template/jinja_interpreter.h"

#include "engine/template/jinja_evaluator.h"

namespace lacuna::jinja {

Result<MarkedText> run(const Block& program, const RunInput& input) {
    return Evaluator(input).run(program);
}

}  // namespace lacuna::jinja
