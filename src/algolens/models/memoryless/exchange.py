"""What elements of finitely many classes tell one another in bits, and what each concludes from it."""

from __future__ import annotations

from torch import Tensor, nn

from algolens.models.layers import Linear, add_leaky, leaky

SILENCE = -5.0  # the logit of a bit that nobody sends


class Exchange(nn.Module):
    """Messages hard(M(own class, other's class, compared numbers)), joined by "or"; then a head on (own class, joined bits).

    M and the head are two layers each. Messages are joined by max, which for bits is "or". So what an element concludes is
    settled by its class and by which kinds of others it hears: finitely many cases, whatever the graph.
    """

    def __init__(self, seeds: int, own: int, others: int, outputs: int, *, width: int, bits: int, channels: int = 0) -> None:
        """own, others: how many classes those have who hear, and who are heard. channels: bits that compare their numbers."""
        super().__init__()
        self.num_own, self.num_others, self.num_channels = own, others, channels
        # a class picks a row of these; drawn as if it were the only input, since all others are 0
        self.receiver = Linear(seeds, own, width, fan_in=1)
        self.sender = Linear(seeds, others, width, bias=False, fan_in=1)
        self.compare = Linear(seeds, channels, width, bias=False, fan_in=1) if channels else None
        self.message = Linear(seeds, width, bits)
        self.conclude = Conclusion(seeds, own, bits, outputs, width=2 * width)

    def messages(self, receivers: Tensor, senders: Tensor, compared: Tensor | None = None) -> Tensor:
        """[S, A, bits] logits of what senders of these classes send to receivers, [A] or [S, A]. compared: [S, A, channels]."""
        hidden = rows(self.receiver, receivers) + rows(self.sender, senders)
        if self.compare is not None:
            hidden = hidden + self.compare(compared)
        return self.message(leaky(hidden))

    def join(self, sent: Tensor, receivers: Tensor, count: int) -> Tensor:
        """[S, N, bits] the largest logit that each of N gets: hardened, the "or" of the bits."""
        nothing = sent.new_full((sent.shape[0], count, sent.shape[2]), SILENCE)
        return nothing.scatter_reduce(1, receivers[None, :, None].expand_as(sent), sent, "amax")


class Conclusion(nn.Module):
    """Two layers on (own class, bits): [N] or [S, N] classes and bits [S, N, bits] to logits [S, N, outputs]."""

    def __init__(self, seeds: int, own: int, bits: int, outputs: int, *, width: int) -> None:
        super().__init__()
        self.own = Linear(seeds, own, width, fan_in=1)
        self.bits = Linear(seeds, bits, width, bias=False)
        self.last = Linear(seeds, width, outputs)

    def forward(self, classes: Tensor, bits: Tensor) -> Tensor:
        return self.last(add_leaky(rows(self.own, classes), self.bits(bits)))


def rows(layer: Linear, classes: Tensor) -> Tensor:
    """[S, N, ...] a layer of one-hot classes, [N] or [S, N]: a row of its weights for each element."""
    if classes.dim() == 1:
        found = layer.weight.index_select(1, classes)
    else:
        found = layer.weight.gather(1, classes[:, :, None].expand(-1, -1, layer.weight.shape[2]))
    return found if layer.bias is None else found + layer.bias
