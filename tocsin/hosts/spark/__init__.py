"""The Spark host: the same plans on DataFrames, batch or streaming. The only folder that imports
pyspark.
"""
