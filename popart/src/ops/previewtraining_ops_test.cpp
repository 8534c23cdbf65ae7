// SPDX-License-Identifier: MIT
#include "model.hpp"

using namespace popart;
using namespace popart::testing;

namespace {
constexpr const char *domain = "ai.onnx.preview.training";
}

// Two tensors at once, in the first step and later.
TEST(PreviewTrainingOps, StepAsTheirEquationsSay) {
  for (const double t : {0.0, 3.0}) {
    Model m;
    const double norm = 0.1, a = 0.8, c = 0.6, epsilon = 1e-3, decay = 0.2, post = 0.05, rate = 0.1;
    const Value r = m.input({}, {rate}), count = m.input({}, {t}, DataType::INT64);
    Values x, g, v, h;
    for (std::int64_t n : {3, 2}) {
      x.push_back(m.randomInput({n}));
      g.push_back(m.randomInput({n}));
      v.push_back(m.randomInput({n}));
      h.push_back(m.randomInput({n}, 0.1, 1));
    }
    const auto attribute = [](double value) { return float(value); };
    const ir::Attributes momentum{{"norm_coefficient", attribute(norm)},
                                  {"alpha", attribute(a)},
                                  {"beta", attribute(c)},
                                  {"mode", std::string("standard")}};
    ir::Attributes nesterov = momentum;
    nesterov.set("mode", std::string("nesterov"));
    const Values three{r, count, x[0], x[1], g[0], g[1], v[0], v[1]};
    const auto standard = m.imported("Momentum", three, momentum, 1, 4, domain),
               ahead = m.imported("Momentum", three, nesterov, 1, 4, domain);
    const auto adagrad = m.imported("Adagrad", {r, count, x[0], x[1], g[0], g[1], h[0], h[1]},
                                    {{"norm_coefficient", attribute(norm)},
                                     {"epsilon", attribute(epsilon)},
                                     {"decay_factor", attribute(decay)}},
                                    1, 4, domain);
    const auto adam = m.imported("Adam", {r, count, x[0], x[1], g[0], g[1], v[0], v[1], h[0], h[1]},
                                 {{"norm_coefficient", attribute(norm)},
                                  {"norm_coefficient_post", attribute(post)},
                                  {"alpha", attribute(a)},
                                  {"beta", attribute(c)},
                                  {"epsilon", attribute(epsilon)}},
                                 1, 6, domain);
    for (std::size_t k : {0, 1}) {
      Doubles plain, momentumNow, looking, gradX, gradH, adamX, adamV, adamH;
      for (std::size_t i = 0; i < m.fed(x[k]).size(); ++i) {
        const double X = m.fed(x[k])[i], V = m.fed(v[k])[i], H = m.fed(h[k])[i],
                     G = m.fed(g[k])[i] + norm * X;
        const double next = a * V + (t > 0 ? c : 1) * G;
        momentumNow.push_back(next);
        plain.push_back(X - rate * next);
        looking.push_back(X - rate * (G + a * next));
        gradH.push_back(H + G * G);
        gradX.push_back(X - rate / (1 + t * decay) * G / (std::sqrt(H + G * G) + epsilon));
        adamV.push_back(a * V + (1 - a) * G);
        adamH.push_back(c * H + (1 - c) * G * G);
        const double now =
            t > 0 ? rate * std::sqrt(1 - std::pow(c, t)) / (1 - std::pow(a, t)) : rate;
        adamX.push_back((1 - post) *
                        (X - now * adamV.back() / (std::sqrt(adamH.back()) + epsilon)));
      }
      const auto got = m.run({standard[k], standard[2 + k], ahead[k], ahead[2 + k], adagrad[k],
                              adagrad[2 + k], adam[k], adam[2 + k], adam[4 + k]});
      const Doubles want[] = {plain, momentumNow, looking, momentumNow, gradX,
                              gradH, adamX,       adamV,   adamH};
      for (std::size_t i = 0; i < got.size(); ++i) {
        SCOPED_TRACE(i);
        expectNear(got[i], want[i], 1e-5, 1e-6);
      }
    }
  }
}
