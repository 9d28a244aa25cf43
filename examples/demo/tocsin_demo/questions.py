"""What those composites of the demo ask for, in words, that are not written in words: a rule is."""

from tocsin_demo.pallets import IDLE, OPENED, WAITED
from tocsin_demo.purchases import SETTLED
from tocsin_demo.tours import FALLS_OUT

QUESTIONS = {
    FALLS_OUT: "trucks of a convoy get more than 2 km apart",
    OPENED: "a pallet is unpacked before it is shipped",
    WAITED: "a pallet is shipped, not packed in the hour before",
    IDLE: "no pallet is packed for an hour",
    SETTLED: "order, despatch advice and invoice come together",
}
