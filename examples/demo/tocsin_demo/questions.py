"""What the composites of the demo ask for, in words."""

from tocsin_demo.pallets import IDLE, OPENED, WAITED
from tocsin_demo.purchases import SETTLED
from tocsin_demo.tours import ARRIVES, FALLS_OUT, LEAVES, MISSING

QUESTIONS = {
    LEAVES: "a truck leaves the warehouse",
    ARRIVES: "a truck leaves and is there within 2 hours",
    MISSING: "a truck leaves and is not there in 2 hours",
    FALLS_OUT: "trucks of a convoy get more than 2 km apart",
    OPENED: "a pallet is unpacked before it is shipped",
    WAITED: "a pallet is shipped, not packed in the hour before",
    IDLE: "no pallet is packed for an hour",
    SETTLED: "order, despatch advice and invoice come together",
}
