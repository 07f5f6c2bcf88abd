#include <algorithm>
#include <array>
#include <kompakt/mpi_halo.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "own_failure.hpp"
#include "sender.hpp"

namespace kompakt::mpi {

namespace {

/// -1, 0 or 1 for each dimension of the grid, not all 0.
using Direction = std::array<int, max_rank>;

/// A rank that ghost cells come from and values go to.
struct Neighbour {
  Direction direction{};
  int rank = MPI_PROC_NULL;
  int number = 0;  ///< of the direction, its tag
};

struct Grid {
  int dimensions = 0;
  std::array<int, max_rank> extents{}, periodic{}, coordinates{};
};

Grid grid_of(MPI_Comm comm) {
  int topology = MPI_UNDEFINED;
  require_success(MPI_Topo_test(comm, &topology), "MPI_Topo_test");
  Grid grid;
  if (topology == MPI_CART) MPI_Cartdim_get(comm, &grid.dimensions);
  if (grid.dimensions < 1 || grid.dimensions > max_rank) {
    throw Error(Status::bad_argument, "HaloExchange",
                "the communicator is not a Cartesian grid of 1 to 8 dimensions",
                "make the Messenger of a communicator of MPI_Cart_create()");
  }
  require_success(MPI_Cart_get(comm, grid.dimensions, grid.extents.data(), grid.periodic.data(),
                               grid.coordinates.data()),
                  "MPI_Cart_get");
  return grid;
}

/// The rank in a direction, MPI_PROC_NULL behind an end of the grid.
int rank_at(MPI_Comm comm, Grid const& grid, Direction const& direction) {
  std::array<int, max_rank> coordinates{};
  for (std::size_t i = 0; i < static_cast<std::size_t>(grid.dimensions); ++i) {
    int const extent = grid.extents[i], at = grid.coordinates[i] + direction[i];
    if (grid.periodic[i] == 0 && (at < 0 || at >= extent)) return MPI_PROC_NULL;
    coordinates[i] = (at + extent) % extent;
  }
  int rank = MPI_PROC_NULL;
  require_success(MPI_Cart_rank(comm, coordinates.data(), &rank), "MPI_Cart_rank");
  return rank;
}

/// Directions as numbers of three digits 0, 1 and 2 for -1, 0 and 1: the opposite one of n is the last one minus n.
Direction direction_of(int number, int dimensions) {
  Direction direction{};
  for (std::size_t i = 0; i < static_cast<std::size_t>(dimensions); ++i) {
    direction[i] = number % 3 - 1;
    number /= 3;
  }
  return direction;
}
int direction_count(int dimensions) {
  int count = 1;
  for (int i = 0; i < dimensions; ++i) count *= 3;
  return count;
}

std::vector<Neighbour> neighbours_of(MPI_Comm comm, Grid const& grid, Neighbours which) {
  std::vector<Neighbour> neighbours;
  for (int number = 0; number < direction_count(grid.dimensions); ++number) {
    Neighbour neighbour{direction_of(number, grid.dimensions), MPI_PROC_NULL, number};
    auto const axes = std::count_if(neighbour.direction.begin(), neighbour.direction.end(),
                                    [](int step) { return step != 0; });
    if (axes == 0 || (axes > 1 && which == Neighbours::faces)) continue;
    neighbour.rank = rank_at(comm, grid, neighbour.direction);
    if (neighbour.rank != MPI_PROC_NULL) neighbours.push_back(neighbour);
  }
  return neighbours;
}

/// A piece for the batch, and where its stream goes.
struct Batch {
  std::vector<ConstStridedData> fields;
  std::vector<std::span<std::byte>> streams;
};

}  // namespace

struct Halo::State {
  State(std::shared_ptr<Engine> shared, HaloOptions const& options)
      : engine(std::move(shared)), width(static_cast<std::size_t>(std::max(0, options.width))) {
    OwnFailure failure;
    failure.guard([&] {
      if (options.width < 1) {
        throw Error(Status::bad_argument, "HaloExchange",
                    "a halo of " + std::to_string(options.width) + " cells cannot be exchanged",
                    "give a width of 1 or more");
      }
      grid = grid_of(engine->messages);
      neighbours = neighbours_of(engine->messages, grid, options.neighbours);
      engine->reserve(2 * neighbours.size());
      incoming = std::vector<std::optional<Incoming>>(neighbours.size());
      sender.emplace(*engine, 2 * neighbours.size());
    });
    agree(engine->collective, failure.get(), engine->waiting());
  }

  void require_usable(FieldTarget const& field) const {
    if (field.shape.rank < grid.dimensions) {
      throw Error(Status::bad_argument, "exchange",
                  "a field of rank " + std::to_string(field.shape.rank) +
                      " cannot lie on a grid of " + std::to_string(grid.dimensions) + " dimensions",
                  "");
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(grid.dimensions); ++i) {
      if (field.shape.extents[i] >= 3 * width) continue;
      throw Error(Status::bad_argument, "exchange",
                  "index " + std::to_string(i) + " of the field has " +
                      std::to_string(field.shape.extents[i]) + " values, but with " +
                      std::to_string(width) + " ghost cells on both sides it needs " +
                      std::to_string(3 * width) + " or more",
                  "");
    }
  }

  /// Ghost cells that come from a direction, or values of this rank that go there.
  FieldTarget box(FieldTarget const& field, Direction const& direction, bool ghosts) const {
    FieldTarget box = field;
    std::int64_t at = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(grid.dimensions); ++i) {
      std::size_t const extent = field.shape.extents[i], own = ghosts ? 0 : width;
      std::size_t begin = width;
      if (direction[i] < 0) begin = own;
      if (direction[i] > 0) begin = extent - width - own;
      box.shape.extents[i] = direction[i] == 0 ? extent - 2 * width : width;
      at += static_cast<std::int64_t>(begin) * field.strides[i];
    }
    box.data = static_cast<std::byte*>(field.data) +
               at * static_cast<std::int64_t>(size_of(field.shape.dtype));
    return box;
  }

  void exchange(FieldTarget const& field, Options const& options) {
    OwnFailure failure;
    failure.guard([&] { require_usable(field); });
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      Neighbour const& from = neighbours[i];
      std::optional<FieldTarget> ghosts;
      if (!failure) ghosts = box(field, from.direction, true);
      // What comes from there has been sent in the opposite direction.
      int const tag = halo_tag + direction_count(grid.dimensions) - 1 - from.number;
      failure.guard(
          [&] { incoming[i].emplace(*engine, engine->collective, ghosts, from.rank, tag); });
    }
    send_all(field, options, failure);
    for (auto& one : incoming) {
      if (!one) continue;
      failure.guard([&] { engine->wait_for(*one); });
      failure.add(*one);
      one.reset();
    }
    failure.guard([&] { sender->finish(); });
    agree(engine->collective, failure.get(), engine->waiting());
  }

  void send_all(FieldTarget const& field, Options const& options, OwnFailure& failure) {
    std::vector<Plan> plans;
    std::vector<std::vector<Piece>> pieces;
    failure.guard([&] {
      if (!failure) {
        plan_all(field, options, plans);
        make_all(plans, options, pieces);
      }
    });
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      Neighbour const& to = neighbours[i];
      int const tag = halo_tag + to.number;
      failure.guard([&] {
        if (failure) {
          sender->failure(engine->collective, to.rank, tag, failure.get());
        } else {
          sender->field(engine->collective, to.rank, tag, plans[i], pieces[i]);
        }
      });
    }
  }

  void plan_all(FieldTarget const& field, Options const& options, std::vector<Plan>& plans) {
    for (Neighbour const& to : neighbours) {
      FieldTarget const values = box(field, to.direction, false);
      plans.push_back(plan_of(*engine, {values, values.access}, options, to.rank));
    }
  }

  void ensure_buffers(std::vector<Plan> const& plans) {
    for (MemoryOf const in : {MemoryOf::host, MemoryOf::space}) {
      std::size_t count = 0, bytes = 0;
      for (Plan const& plan : plans) {
        if (plan.direct || plan.in != in) continue;
        count += plan.layout.count();
        bytes = std::max(bytes, plan.capacity);
      }
      if (count > 0) engine->ensure_buffers(in, count, bytes);
    }
  }

  /// Packs what goes raw and compresses the rest in one batch.
  void make_all(std::vector<Plan> const& plans, Options const& options,
                std::vector<std::vector<Piece>>& pieces) {
    ensure_buffers(plans);
    Batch batch;
    pieces.resize(plans.size());
    for (std::size_t i = 0; i < plans.size(); ++i) {
      Plan const& plan = plans[i];
      for (std::size_t n = 0; n < plan.layout.count(); ++n) {
        Buffer buffer;
        if (!plan.direct) buffer = {engine->pool(plan.in), plan.capacity};
        std::byte* const data = buffer.data();
        if (plan.encoding == Encoding::raw) {
          pieces[i].push_back(make_piece(*engine, plan, n, std::move(buffer)));
        } else {
          batch.fields.push_back(plan.part(n));
          batch.streams.emplace_back(data, plan.capacity);
          pieces[i].push_back({std::move(buffer), data, 0});
        }
      }
    }
    if (batch.fields.empty()) return;
    auto const infos = engine->codec.compress_batch(batch.fields, plans.front().field_in(), {},
                                                    options, batch.streams, engine->streams_in);
    auto info = infos.begin();
    for (std::size_t i = 0; i < plans.size(); ++i) {
      if (plans[i].encoding == Encoding::raw) continue;
      for (Piece& piece : pieces[i]) piece.bytes = (info++)->bytes;
    }
  }

  std::shared_ptr<Engine> engine;
  std::size_t width;
  Grid grid;
  std::vector<Neighbour> neighbours;
  std::vector<std::optional<Incoming>> incoming;  ///< one for each
  std::optional<Sender> sender;
};

Halo::Halo(std::shared_ptr<Engine> engine, HaloOptions const& options)
    : m_state(std::make_unique<State>(std::move(engine), options)) {}
Halo::~Halo() = default;
Halo::Halo(Halo&&) noexcept = default;
Halo& Halo::operator=(Halo&&) noexcept = default;

void Halo::exchange(FieldTarget const& field, Options const& options) {
  m_state->exchange(field, options);
}

}  // namespace kompakt::mpi
