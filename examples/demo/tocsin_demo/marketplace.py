"""The marketplace of the story: customers search, order, pay, complain and send back. Same dice,
same day.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from random import Random

from tocsin_demo.happening import Happening

DISTRICTS = ("Altona", "Barmbek", "Bergedorf", "Eimsbuettel", "Harburg", "Mitte", "Wandsbek")

_TIERS = ("bronze", "silver", "gold")
_METHODS = ("card", "transfer", "wallet", "invoice")
_CHANNELS = ("web", "app", "app", "partner")
_SLOTS = ("morning", "noon", "evening")
_FAILURES = ("insufficient funds", "card expired", "suspected fraud", "time-out at the bank")
_RETURNS = ("does not fit", "arrived broken", "changed my mind", "wrong item")
_PRAISE = ("does what it should", "would buy again", "a gift, well received", "quick delivery")
_BLAME = (
    "broken on arrival",
    "refund please",
    "smaller than in the picture",
    "battery got hot, dangerous",
)
_MISSPELT = ("hedphones", "labtop", "espreso", "snikers")
_REMEMBERED = 500


@dataclass(frozen=True, slots=True)
class Product:
    """Something for sale."""

    number: str
    name: str
    category: str
    price: float
    seller: str


_ASSORTMENT = (
    ("laptop", 899.0),
    ("phone", 649.0),
    ("headphones", 129.0),
    ("espresso machine", 389.0),
    ("sneakers", 95.0),
    ("rain jacket", 140.0),
    ("novel", 14.0),
    ("board game", 39.0),
    ("bicycle", 780.0),
    ("oat milk", 2.2),
    ("frozen pizza", 3.9),
    ("vitamins", 18.0),
)


class Marketplace:
    """Makes up what happens in the shop; remembers the newest orders, so that later happenings
    refer to real ones.
    """

    def __init__(self, dice: Random) -> None:
        self._dice = dice
        self._products = _products(dice)
        self._orders: deque[tuple[str, float]] = deque([("O-100000", 59.0)], maxlen=_REMEMBERED)
        self._ordered = 100_000

    def order(self) -> Happening:
        """A customer orders; gold customers often pay for express."""
        dice, product = self._dice, self._product()
        tier = dice.choices(_TIERS, (70, 22, 8))[0]
        quantity = 1 + int(dice.expovariate(1.2))
        self._ordered += 1
        order = f"O-{self._ordered}"
        total = round(product.price * quantity, 2)
        self._orders.append((order, total))
        data: dict[str, object] = {
            "order": order,
            "customer": f"C-{int(dice.triangular(1, 9000, 1))}",
            "tier": tier,
            "product": product.name,
            "category": product.category,
            "price": product.price,
            "quantity": quantity,
            "total": total,
            "channel": dice.choice(_CHANNELS),
            "payment": dice.choice(_METHODS),
            "express": dice.random() < (0.4 if tier == "gold" else 0.1),
            "first": dice.random() < 0.06,
            "delivery": {"district": dice.choice(DISTRICTS), "slot": dice.choice(_SLOTS)},
        }
        if dice.random() < 0.15:
            data["coupon"] = dice.choice(("SPRING10", "WELCOME5", "STAFF30", "SPRING20"))
        return Happening("/shop/orders", "shop.order.placed", data)

    def search(self) -> Happening:
        """A customer looks for something; a misspelt word finds nothing."""
        dice = self._dice
        misspelt = dice.random() < 0.04
        words = dice.choice(_MISSPELT) if misspelt else self._product().name
        data = {
            "words": words,
            "results": 0 if misspelt else dice.randint(3, 240),
            "channel": dice.choice(_CHANNELS),
        }
        return Happening("/shop/search", "shop.searched", data)

    def failed_payment(self) -> Happening:
        """The bank says no."""
        dice = self._dice
        order, total = dice.choice(self._orders)
        data = {
            "order": order,
            "amount": total,
            "payment": dice.choice(_METHODS),
            "reason": dice.choices(_FAILURES, (50, 25, 10, 15))[0],
            "attempt": 1 + int(dice.expovariate(1.5)),
        }
        return Happening("/payments", "shop.payment.failed", data)

    def review(self) -> Happening:
        """A customer has an opinion; one star comes with a reason to be angry."""
        dice, product = self._dice, self._product()
        stars = dice.choices((1, 2, 3, 4, 5), (8, 5, 10, 30, 47))[0]
        data = {
            "product": product.name,
            "category": product.category,
            "seller": product.seller,
            "stars": stars,
            "text": f"{product.name}: {dice.choice(_BLAME if stars < 3 else _PRAISE)}",
            "verified": dice.random() < 0.8,
        }
        return Happening("/shop/reviews", "shop.review.posted", data)

    def new_price(self) -> Happening:
        """A seller changes a price, mostly by a little, now and then by far too much."""
        dice, product = self._dice, self._product()
        factor = 0.1 if dice.random() < 0.01 else dice.triangular(0.65, 1.3, 0.97)
        data = {
            "product": product.name,
            "category": product.category,
            "seller": product.seller,
            "old": product.price,
            "new": round(product.price * factor, 2),
        }
        return Happening("/shop/prices", "shop.price.changed", data)

    def stock(self) -> Happening:
        """A shelf was counted."""
        dice, product = self._dice, self._product()
        data = {
            "product": product.name,
            "category": product.category,
            "left": int(dice.expovariate(1 / 60)),
            "reserved": int(dice.expovariate(1 / 12)),
        }
        return Happening("/shop/stock", "shop.stock.counted", data)

    def send_back(self) -> Happening:
        """A customer wants the money back."""
        dice = self._dice
        order, total = dice.choice(self._orders)
        data = {
            "order": order,
            "amount": total,
            "reason": dice.choice(_RETURNS),
            "days": dice.randint(1, 30),
        }
        return Happening("/shop/returns", "shop.return.requested", data)

    def _product(self) -> Product:
        return self._products[int(self._dice.triangular(0, len(self._products), 0))]


def _products(dice: Random) -> list[Product]:
    """Five makes of everything in the assortment, in no order."""
    made = [
        Product(
            f"P-{number}-{make}",
            f"{category} {'ABCDE'[make]}{dice.randint(1, 9)}",
            category,
            round(price * dice.uniform(0.5, 1.7), 2),
            f"seller-{dice.randint(1, 25)}",
        )
        for number, (category, price) in enumerate(_ASSORTMENT)
        for make in range(5)
    ]
    dice.shuffle(made)
    return made
